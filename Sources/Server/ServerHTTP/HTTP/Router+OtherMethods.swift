import HTTPTypes
import Hummingbird

extension Router where Context == AppContext {
    /// Answers 405 to the methods that a path does not have, where the router alone would say that there is no such path.
    /// RFC 9110 §15.5.6. To be called when all routes are there.
    func refuseOtherMethods() {
        for routes in Dictionary(grouping: routes, by: \.path.description).values {
            let allowed = routes.map(\.method)
            // Where there is GET there will be HEAD, whichever way GET is answered.
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
