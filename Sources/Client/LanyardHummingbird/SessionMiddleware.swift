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
        // A route that signs in or out has the last word.
        let isSet = response.headers[values: .setCookie].contains { $0.hasPrefix(keeper.cookies.sessionName + "=") }
        // Nor does an answer carry a session that a shared cache would hand to others; the next one does.
        let isShared = response.headers[values: .cacheControl].contains { $0.lowercased().contains("public") }
        if let cookie, !isSet, !isShared { response.setCookie(cookie) }
        return response
    }
}

/// Lets nobody through who is not signed in.
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
            headers: [.location: "\(path)?return_to=\(page.text.percentEncoded)", .cacheControl: "no-store"])
    }
}
