import Crypto
import Foundation
import Hummingbird
import LanyardHummingbird

/// What routes know about a request besides its contents.
struct QuizzlerContext: SignInContext {
    var coreContext: CoreRequestContextStorage
    var person: SignedInPerson?
    /// A random id that is kept in a cookie. It binds authorization attempts and forms to the browser that began them.
    var browserID = ""

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }

    /// The token that a form must send back. It cannot be computed without the cookie, and does not reveal the cookie.
    var csrfToken: String {
        digest("csrf \(browserID)")
    }

    /// Identifies the combination of person and browser. It differs for another person who signs in later in the same
    /// browser.
    var visitorKey: String {
        digest("visitor \(browserID) \(person?.id ?? "")")
    }

    private func digest(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

/// Gives each browser an id.
struct BrowserCookie: RouterMiddleware {
    /// Whether people use Quizzler over HTTPS.
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

/// Gives the browser a new id when a person signs out, so that the next person who uses it cannot see a school that was
/// connected there.
struct ForgottenBrowser: RouterMiddleware {
    let isSecure: Bool
    /// The path of the sign-out form.
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
    /// - Throws: `PageError.oldForm` if the form was not made for this browser.
    @discardableResult
    func checkedForm(_ context: QuizzlerContext) async throws -> [String: String] {
        let body = try await body.collect(upTo: 4 << 10)
        let fields = try? URLEncodedFormDecoder().decode([String: String].self, from: String(buffer: body))
        guard let fields, fields["csrf"] == context.csrfToken else { throw PageError.oldForm }
        return fields
    }
}
