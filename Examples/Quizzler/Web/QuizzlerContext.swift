import Crypto
import Foundation
import Hummingbird
import LanyardHummingbird

/// What routes know about a request besides its contents.
struct QuizzlerContext: SignInContext {
    var coreContext: CoreRequestContextStorage
    var person: SignedInPerson?
    /// Random, kept in a cookie; it ties a trip to the consent page, and each form, to the browser that began it.
    var browserID = ""

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }

    /// What a form has to send back. Whoever cannot read the cookie cannot compute it, and it does not betray the
    /// cookie.
    var csrfToken: String {
        digest("csrf \(browserID)")
    }

    /// Says that it is the same person in the same browser as before, for what somebody begins there: nobody who signs in
    /// later in that browser has the same one.
    var visitorKey: String {
        digest("visitor \(browserID) \(person?.id ?? "")")
    }

    private func digest(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

/// Gives each browser its id.
struct BrowserCookie: RouterMiddleware {
    /// Whether people reach Quizzler by https.
    let isSecure: Bool

    private var name: String { isSecure ? "__Host-quizzler" : "quizzler" }
    private static let maxAge = 30 * 86_400

    func handle(
        _ request: Request,
        context: QuizzlerContext,
        next: (Request, QuizzlerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let browserID = request.cookies[name]?.value, browserID.count == 64 {
            context.browserID = browserID
            return try await next(request, context)
        }
        var generator = SystemRandomNumberGenerator()
        context.browserID = (0..<64).map { _ in String(Int.random(in: 0..<16, using: &generator), radix: 16) }.joined()
        var response = try await next(request, context)
        response.setCookie(cookie(context.browserID, maxAge: Self.maxAge))
        return response
    }

    fileprivate func cookie(_ value: String, maxAge: Int) -> Cookie {
        Cookie(
            name: name, value: value, maxAge: maxAge, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax)
    }
}

/// Forgets the browser when somebody signs out in it: a school that was connected there stays closed to whoever is next.
struct ForgottenBrowser: RouterMiddleware {
    let isSecure: Bool
    /// Of the form.
    let path: String

    func handle(
        _ request: Request,
        context: QuizzlerContext,
        next: (Request, QuizzlerContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if request.method == .post, request.uri.path == path, response.status == .seeOther {
            response.setCookie(BrowserCookie(isSecure: isSecure).cookie("", maxAge: 0))
        }
        return response
    }
}

extension Request {
    /// The fields of a form.
    /// - Throws: `PageError.oldForm` unless the form was made for this browser.
    @discardableResult
    func checkedForm(_ context: QuizzlerContext) async throws -> [String: String] {
        let body = try await body.collect(upTo: 4 << 10)
        let fields = try? URLEncodedFormDecoder().decode([String: String].self, from: String(buffer: body))
        guard let fields, fields["csrf"] == context.csrfToken else { throw PageError.oldForm }
        return fields
    }
}
