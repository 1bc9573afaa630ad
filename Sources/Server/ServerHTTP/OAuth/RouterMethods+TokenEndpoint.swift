import Hummingbird

extension RouterMethods where Context == AppContext {
    /// Token, revocation and keys below a path.
    func mount(_ endpoint: TokenEndpoint, at path: String) {
        post(RouterPath("\(path)/token"), use: endpoint.token)
        post(RouterPath("\(path)/revoke"), use: endpoint.revoke)
        get(RouterPath("\(path)/keys"), use: endpoint.keys)
    }
}
