import Hummingbird
import LanyardHummingbird
import Logging

/// Reasons for which there is no page, or not the one that was asked for.
enum PageError: Error {
    case notFound
    /// A form from another browser, or from before its cookies were deleted.
    case oldForm
    /// There may be a page, once it is known for whom.
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
