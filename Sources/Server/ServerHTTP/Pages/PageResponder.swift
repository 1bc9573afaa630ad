import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import NIOCore
import ServerPages

/// Renders pages into answers: language, cookies, content security policy.
struct PageResponder: Sendable {
    let pages: Pages
    let isSecure: Bool
    let surroundings: Surroundings

    func visitor(of request: Request) -> Visitor {
        Visitor(request, isSecure: isSecure, surroundings: surroundings)
    }

    /// - Parameters:
    ///   - visitor: of the request, if it was looked at already: a new browser must get one secret, not two.
    ///   - leadsToApp: whether a form on the page may end at an app.
    ///   - currentPath: where a GET shows the page again; the request's own unless it was a form.
    ///   - openerPolicy: isolated for pages that are no part of signing in to an app.
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

    /// Leads to a page that takes something over.
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

    /// Shows the pages in a language on the way of one request, unless the person has chosen another one before.
    /// - Parameter language: nil: what the request before has asked for is over.
    func set(_ language: Language?, forVisitOf visitor: Visitor, in response: inout Response) {
        guard language != nil || visitor.hasVisitLanguage else { return }
        response.set(
            .visitLanguage, to: language?.rawValue ?? "",
            maxAge: language == nil ? 0 : Int(ParkedRequest.lifetime), isSecure: isSecure)
    }

    /// Leads the browser on with a new session, in place of whatever it had.
    func enter(_ entry: BrowserEntry, then path: String) -> Response {
        var response = Response.seeOther(path)
        response.set(.session, to: entry.session.text, maxAge: Int(BrowserSession.lifetime), isSecure: isSecure)
        if let known = entry.knownBrowser {
            response.set(.knownBrowser, to: known.text, maxAge: Int(KnownBrowser.lifetime), isSecure: isSecure)
        }
        return response
    }

    /// Where a form may lead that ends at an app, no policy can tell: Chromium asks it at every redirect on the way, and
    /// the app's address may lead on to another of the app's own, or into a program on the device.
    private static func policy(leadsToApp: Bool) -> String {
        """
        default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
        \(leadsToApp ? "" : "form-action 'self'; ")frame-ancestors 'none'; base-uri 'none'
        """
    }
}
