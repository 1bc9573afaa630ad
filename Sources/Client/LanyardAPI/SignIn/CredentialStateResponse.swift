/// What `POST /auth/credentialstate` answers: `{"state":"authorized"}`.
public struct CredentialStateResponse: Codable, Equatable, Sendable {
    public var state: State

    public enum State: String, Codable, Sendable {
        /// The person uses the app.
        case authorized
        /// The person used the app, and has stopped.
        case revoked
        /// The person has never used the app, or there is no such person.
        case notFound
        /// The app has moved to another team, in which the person has another identifier.
        case transferred
    }

    public init(state: State) {
        self.state = state
    }
}
