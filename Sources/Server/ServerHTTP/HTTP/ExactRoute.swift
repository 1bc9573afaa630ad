import Hummingbird

/// Answers 404 to paths that are not spelled exactly, such as `//account` or `/account/`. The router would treat them
/// like `/account`, but a proxy in front that lets only some paths through compares the spelling. And answers 405 where a path has other
/// methods than the request's.
struct ExactRoute: RouterMiddleware {
    let otherMethods: OtherMethods

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard request.isSpelledAsRouted else { throw HTTPError(.notFound) }
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            throw await otherMethods.refusal(of: request, context) ?? error
        }
    }
}
