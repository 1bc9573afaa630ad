import HTTPTypes
import Hummingbird

extension Router where Context == AppContext {
    /// Answers 405 to methods that a path does not have, for which the router would answer 404. RFC 9110 §15.5.6. Has
    /// to be called after all routes are added.
    func refuseOtherMethods() {
        for routes in Dictionary(grouping: routes, by: \.path.description).values {
            let allowed = routes.map(\.method)
            // Every path with GET also has HEAD, which the router adds later.
            let names = Set(allowed + (allowed.contains(.get) ? [.head] : [])).map(\.rawValue).sorted()
                .joined(separator: ", ")
            let all: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete, .options, .trace]
            for method in all where !allowed.contains(method) {
                on(routes[0].path, method: method) { _, _ -> Response in
                    throw HTTPError(.methodNotAllowed, headers: [.allow: names])
                }
            }
        }
    }
}
