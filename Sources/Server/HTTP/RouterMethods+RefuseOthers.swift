import HTTPTypes
import Hummingbird

extension RouterMethods where Context == AppContext {
    /// Answers 405 to the methods that an endpoint does not have. RFC 9110 §15.5.6.
    func refuseOthers(than allowed: [HTTPRequest.Method], at path: String) {
        // Where there is GET there is HEAD.
        let names = allowed.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }.joined(separator: ", ")
        for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] where !allowed.contains(method) {
            on(RouterPath(path), method: method) { _, _ -> Response in
                throw HTTPError(.methodNotAllowed, headers: [.allow: names])
            }
        }
    }
}
