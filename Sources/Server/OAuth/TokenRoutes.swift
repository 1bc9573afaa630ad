import HTTPTypes
import Hummingbird

/// `POST /auth/oauth2/v2/token`, `POST …/revoke`, `GET …/keys`: for apps that read rosters.
struct TokenRoutes: Sendable {
    let endpoint: TokenEndpoint

    func mount(on router: some RouterMethods<AppContext>) {
        router.mount(endpoint, at: "auth/oauth2/v2")
    }
}

extension RouterMethods where Context == AppContext {
    /// Token, revocation and keys below a path.
    func mount(_ endpoint: TokenEndpoint, at path: String) {
        post(RouterPath("\(path)/token"), use: endpoint.token)
        post(RouterPath("\(path)/revoke"), use: endpoint.revoke)
        get(RouterPath("\(path)/keys"), use: endpoint.keys)
        for name in ["token", "revoke"] { refuseOthers(than: [.post], at: "\(path)/\(name)") }
        refuseOthers(than: [.get], at: "\(path)/keys")
    }

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
