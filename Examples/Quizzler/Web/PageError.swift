import Hummingbird
import LanyardHummingbird
import Logging

/// Why the requested page cannot be shown.
enum PageError: Error {
    case notFound
    /// The form was made for another browser, or before the browser's cookies were deleted.
    case oldForm
    /// The visitor has to sign in first; the page may or may not exist.
    case notSignedIn
}

/// Turns errors into pages.
struct ErrorPages: RouterMiddleware {
    let pages: Pages

    func handle(
        _ request: Request,
        context: QuizzlerContext,
        next: (Request, QuizzlerContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch PageError.oldForm {
            return try pages.response(MessagePage.oldForm, status: .forbidden)
        } catch PageError.notFound {
            return try pages.response(MessagePage.notFound, status: .notFound)
        } catch PageError.notSignedIn {
            return try pages.response(MessagePage.signInFirst(for: request.uri.path), status: .forbidden)
        } catch let error as HTTPError where error.status == .notFound {
            return try pages.response(MessagePage.notFound, status: .notFound)
        } catch let error as SignInFailure {
            return try pages.response(MessagePage.notSignedInNow, status: error.status)
        } catch let error as HTTPError where request.uri.path.hasPrefix("/sign-in") {
            return try pages.response(MessagePage.notSignedInNow, status: error.status)
        } catch let error as HTTPError {
            throw error
        } catch {
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            return try pages.response(MessagePage.failed, status: .internalServerError)
        }
    }
}
