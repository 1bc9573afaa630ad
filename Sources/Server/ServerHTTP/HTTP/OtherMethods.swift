import HTTPTypes
import Hummingbird
import Synchronization

/// Which methods each path has, for the answer to another one. RFC 9110 §15.5.6.
///
/// The paths are put together when somebody asks for the first time: with a route for each method that a path does not have, a server
/// would need a tenth longer until it is ready.
final class OtherMethods: Sendable {
    private enum Paths: Sendable {
        case listed([(path: RouterPath, method: HTTPRequest.Method)])
        case findable(any HTTPResponder<AppContext>)
    }
    private let paths = Mutex(Paths.listed([]))

    /// Has to be called once, when the router has all its routes.
    func take(_ router: Router<AppContext>) {
        let routes = router.routes.map { (path: $0.path, method: $0.method) }
        paths.withLock { $0 = .listed(routes) }
    }

    /// - Returns: 405 with the methods that there are, if the path has others than the request's; otherwise nil.
    func refusal(of request: Request, _ context: AppContext) async -> HTTPError? {
        var head = request.head
        head.method = .get
        let found = try? await finder().respond(to: Request(head: head, body: request.body), context: context)
        guard let names = found?.headers[.allow],
            !names.split(separator: ", ").contains(Substring(request.method.rawValue))
        else { return nil }
        return HTTPError(.methodNotAllowed, headers: [.allow: names])
    }

    /// Answers every path that has a route with its methods, in the header `Allow`.
    private func finder() -> any HTTPResponder<AppContext> {
        paths.withLock { paths in
            switch paths {
            case .findable(let finder): return finder
            case .listed(let routes):
                let finder = Self.finder(of: routes)
                paths = .findable(finder)
                return finder
            }
        }
    }

    private static func finder(
        of routes: [(path: RouterPath, method: HTTPRequest.Method)]
    ) -> any HTTPResponder<AppContext> {
        let router = Router(context: AppContext.self)
        for routes in Dictionary(grouping: routes, by: \.path.description).values {
            let methods = routes.map(\.method)
            // Every path with GET also has HEAD, which the router adds later.
            let names = Set(methods + (methods.contains(.get) ? [.head] : [])).map(\.rawValue).sorted()
                .joined(separator: ", ")
            router.on(routes[0].path, method: .get) { _, _ in Response(status: .ok, headers: [.allow: names]) }
        }
        return router.buildResponder()
    }
}
