import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import NIOCore
import ServerPages

/// Renders pages into answers, with their language, cookies and content security policy.
struct PageResponder: Sendable {
    let pages: Pages
    let isSecure: Bool
    let surroundings: Surroundings
    /// Whether tickets of Kerberos sign people in, so that a browser has to remember that somebody has signed out.
    var takesTickets = false

    func visitor(of request: Request) -> Visitor {
        Visitor(request, isSecure: isSecure, surroundings: surroundings)
    }

    /// - Parameters:
    ///   - visitor: the visitor of the request, if it was read already, so that a new browser gets one secret and not
    ///     two.
    ///   - leadsToApp: whether a form on the page may end at an app.
    ///   - currentPath: where a GET shows the page again; by default the path of the request, unless that was a form.
    ///   - openerPolicy: isolated for pages that are not part of signing in to an app.
    func respond(
        with page: some Page, status: HTTPResponse.Status = .ok, to request: Request, _ context: AppContext,
        visitor: Visitor? = nil, leadsToApp: Bool = false, currentPath: String? = nil,
        openerPolicy: OpenerPolicy = .keepsOpener
    ) -> Response {
        let visitor = visitor ?? self.visitor(of: request)
        let visit = Visit(
            currentPath: currentPath ?? request.uri.string, csrfToken: visitor.csrfToken, carried: visitor.carried)
        var response = Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8",
                .cacheControl: "no-store",
                .contentLanguage: visitor.language.rawValue,
                .contentSecurityPolicy: Self.policy(leadsToApp: leadsToApp),
                .openerPolicy: openerPolicy.rawValue,
            ],
            body: ResponseBody(
                byteBuffer: ByteBuffer(string: pages.render(page, in: visitor.language, for: visit))))
        welcome(visitor, in: &response)
        if visitor.hasCarried { response.set(.carried, to: "", maxAge: 0, isSecure: isSecure) }
        return response
    }

    /// Redirects to a page that shows form input again.
    func lead(to path: String, carrying carried: Carried) -> Response {
        var response = Response.seeOther(path)
        CarriedCookie(carried, to: path).put(into: &response, isSecure: isSecure)
        return response
    }

    /// Gives a new browser its secret.
    func welcome(_ visitor: Visitor, in response: inout Response) {
        guard visitor.isNew else { return }
        response.set(.browser, to: visitor.browserSecret, maxAge: nil, isSecure: isSecure)
    }

    /// Sets the language of the pages for the duration of one request of an app, unless the person has chosen one.
    /// - Parameter language: nil to end the language of an earlier request.
    func set(_ language: Language?, forVisitOf visitor: Visitor, in response: inout Response) {
        guard language != nil || visitor.hasVisitLanguage else { return }
        response.set(
            .visitLanguage, to: language?.rawValue ?? "",
            maxAge: language == nil ? 0 : Int(ParkedRequest.lifetime), isSecure: isSecure)
    }

    /// Redirects the browser with a new session, which replaces any other.
    func enter(_ entry: BrowserEntry, then path: String) -> Response {
        var response = Response.seeOther(path)
        admit(entry, in: &response)
        return response
    }

    /// Gives the browser a new session, which replaces any other.
    func admit(_ entry: BrowserEntry, in response: inout Response) {
        response.set(.session, to: entry.session.text, maxAge: Int(BrowserSession.lifetime), isSecure: isSecure)
        if let known = entry.knownBrowser {
            response.set(.knownBrowser, to: known.text, maxAge: Int(KnownBrowser.lifetime), isSecure: isSecure)
        }
    }

    /// Takes the session from the browser, if it has one.
    func leave(_ visitor: Visitor, in response: inout Response) {
        guard visitor.sessionToken != nil else { return }
        response.set(.session, to: "", maxAge: 0, isSecure: isSecure)
        guard takesTickets else { return }
        response.set(.signedOut, to: "1", maxAge: Int(BrowserSession.lifetime), isSecure: isSecure)
    }

    /// Redirects the browser to where a second factor is shown or set up.
    /// - Parameter pending: the token of a ``PendingSignIn``.
    func askForFactor(_ pending: Secret, then path: String) -> Response {
        var response = Response.seeOther(FactorRoutes.path(then: path))
        response.set(
            .pendingSignIn, to: pending.text, maxAge: Int(PendingSignIn.lifetime), isSecure: isSecure)
        return response
    }

    /// The content security policy. A form that ends at an app cannot be restricted: Chromium applies `form-action` to
    /// every redirect on the way, and the app may redirect to another of its addresses, or to a program on the device.
    private static func policy(leadsToApp: Bool) -> String {
        """
        default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; \
        \(leadsToApp ? "" : "form-action 'self'; ")frame-ancestors 'none'; base-uri 'none'
        """
    }
}
