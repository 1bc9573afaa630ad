import Authorization
import Crypto
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages

/// The browser behind a request: its secret, its session, its language.
///
/// Every browser gets a secret of its own in a cookie, whether anybody is signed in or not. Waiting authorization
/// requests are bound to it, and the token in every form is derived from it, so that no other site can send our forms.
struct Visitor: Sendable {
    let browserSecret: String
    /// Whether the browser has no cookie yet, so that the answer has to set it.
    let isNew: Bool
    let sessionToken: String?
    /// The secret by which an account recognizes the browser at sign-in: see ``KnownBrowser``.
    let knownBrowser: String?
    /// The token of a ``PendingSignIn``; nil if none waits in this browser.
    let pendingToken: String?
    /// Whether somebody has signed out in this browser, so that a ticket must not sign them in again at once.
    let hasSignedOut: Bool
    let language: Language
    /// The form input that the requested page shows again; nil if there is none.
    let carried: Carried?
    /// Whether the browser has a cookie with form input, for this page or another.
    let hasCarried: Bool
    /// Whether an app has asked for a language.
    let hasVisitLanguage: Bool

    init(_ request: Request, isSecure: Bool, surroundings: Surroundings) {
        let known = request.headers.cookie(CookieName.browser.text(isSecure))
        browserSecret = known ?? Secret(from: surroundings).text
        isNew = known == nil
        sessionToken = request.headers.cookie(CookieName.session.text(isSecure))
        knownBrowser = request.headers.cookie(CookieName.knownBrowser.text(isSecure))
        pendingToken = request.headers.cookie(CookieName.pendingSignIn.text(isSecure))
        hasSignedOut = request.headers.cookie(CookieName.signedOut.text(isSecure)) != nil
        language = Language.preferred(
            cookie: request.headers.cookie(CookieName.language.text(isSecure)),
            wish: request.headers.cookie(CookieName.visitLanguage.text(isSecure)),
            acceptLanguage: request.headers[.acceptLanguage])
        let cookie = request.headers.cookie(CookieName.carried.text(isSecure))
        hasCarried = cookie != nil
        carried = cookie.flatMap(CarriedCookie.init).flatMap {
            request.method == .get && $0.path == request.uri.string ? $0.carried : nil
        }
        hasVisitLanguage = request.headers.cookie(CookieName.visitLanguage.text(isSecure)) != nil
    }

    /// What only this browser in its present session has: challenges for passkeys are bound to it.
    var holder: String { "\(browserSecret) \(sessionToken ?? "")" }

    var csrfToken: String {
        Data(HMAC<SHA256>.authenticationCode(for: csrfMessage, using: csrfKey)).base64URLEncoded
    }

    /// Checks that a form is one of ours, and belongs to this browser and this session.
    /// - Parameter page: where a GET shows the form again; nil if at the path to which it was sent.
    /// - Throws: ``PageError/staleForm(from:typed:)``; the likely reason is that the session has ended or begun since
    ///   the page was shown.
    func check(_ form: RequestParameters, from page: String? = nil) throws {
        guard !isNew, let token = try form["csrf_token"], let mac = Data(base64URLEncoded: token),
            HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: csrfMessage, using: csrfKey)
        else { throw PageError.staleForm(from: page, typed: form.typed) }
    }

    /// Shows that a page has made an address for this browser. Only at such an address is it asked for a ticket of Kerberos.
    var ticketProof: String {
        Data(HMAC<SHA256>.authenticationCode(for: Self.ticketMessage, using: csrfKey)).base64URLEncoded
    }

    /// - Parameter proof: what an address says; nil if it says nothing.
    func accepts(ticketProof proof: String?) -> Bool {
        guard !isNew, let mac = proof.flatMap({ Data(base64URLEncoded: $0) }) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: Self.ticketMessage, using: csrfKey)
    }

    private static let ticketMessage = Data("ticket".utf8)

    private var csrfKey: SymmetricKey { SymmetricKey(data: Data(browserSecret.utf8)) }

    /// The session is part of the token, so that the browser's secret alone is not enough to act for the person.
    private var csrfMessage: Data { Data("form \(sessionToken ?? "")".utf8) }
}

enum CookieName {
    case browser
    case session
    case knownBrowser
    /// A browser in which the password was right, and which still has to show a second factor.
    case pendingSignIn
    /// Somebody has signed out in this browser; set only where tickets of Kerberos sign people in.
    case signedOut
    case language
    case carried
    /// The language that an app has asked for, as long as a request of its waits.
    case visitLanguage

    /// `__Host-` binds a cookie to this host and to TLS; browsers refuse it on plain loopback.
    func text(_ isSecure: Bool) -> String {
        let name =
            switch self {
            case .browser: "lanyard-browser"
            case .session: "lanyard-session"
            case .knownBrowser: "lanyard-known"
            case .pendingSignIn: "lanyard-pending"
            case .signedOut: "lanyard-signed-out"
            case .language: "lanyard-language"
            case .carried: "lanyard-carried"
            case .visitLanguage: "lanyard-visit-language"
            }
        return isSecure ? "__Host-\(name)" : name
    }
}

extension Response {
    /// - Parameter maxAge: in seconds; nil to keep it until the browser is closed, 0 to delete it.
    mutating func set(_ name: CookieName, to value: String, maxAge: Int?, isSecure: Bool) {
        // `Lax`, because an app sends the browser here from its own site, and the session has to be sent along.
        setCookie(
            Cookie(
                name: name.text(isSecure), value: value, maxAge: maxAge, path: "/", secure: isSecure, httpOnly: true,
                sameSite: .lax))
    }
}
