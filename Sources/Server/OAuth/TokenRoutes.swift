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
    /// Token, revocation and keys below a path. Other methods than POST get an answer in the words of OAuth.
    func mount(_ endpoint: TokenEndpoint, at path: String) {
        post(RouterPath("\(path)/token"), use: endpoint.token)
        post(RouterPath("\(path)/revoke"), use: endpoint.revoke)
        for method in [HTTPRequest.Method.get, .put, .patch, .delete] {
            on(RouterPath("\(path)/token"), method: method, use: endpoint.refuseMethod)
            on(RouterPath("\(path)/revoke"), method: method, use: endpoint.refuseMethod)
        }
        get(RouterPath("\(path)/keys"), use: endpoint.keys)
    }
}
