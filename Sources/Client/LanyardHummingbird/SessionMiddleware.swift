import Ground
import HTTPTypes
import Hummingbird
import LanyardClient

/// Finds out who is signed in.
struct SessionMiddleware<Context: SignInContext>: RouterMiddleware {
    let keeper: SessionKeeper

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        let (found, cookie) = try await keeper.find(in: request, logger: context.logger)
        context.person = found?.session.person
        var response = try await next(request, context)
        // A cookie that a route has set, by signing in or out, takes precedence.
        let isSet = response.headers[values: .setCookie].contains { $0.hasPrefix(keeper.cookies.sessionName + "=") }
        // An answer that a shared cache may store must not carry a session cookie. The next answer sets it.
        let isShared = response.headers[values: .cacheControl].contains { $0.lowercased().contains("public") }
        if let cookie, !isSet, !isShared { response.setCookie(cookie) }
        return response
    }
}

/// Refuses requests of people who are not signed in.
public struct RequireSignIn<Context: SignInContext>: RouterMiddleware {
    let path: String

    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if context.person != nil { return try await next(request, context) }
        let isPage = request.headers[values: .accept].contains { $0.contains("text/html") }
        guard request.method == .get, isPage, let page = LocalPath(request.uri.description) else {
            throw HTTPError(.unauthorized, message: "Nobody is signed in.")
        }
        return Response(
            status: .seeOther,
            headers: [.location: "\(path)?return_to=\(FormEncoding.escape(page.text))", .cacheControl: "no-store"])
    }
}
