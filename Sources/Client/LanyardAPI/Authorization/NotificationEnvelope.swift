/// The body of a server-to-server notification: `{"payload":"<JWS>"}`, signed with RS256.
public struct NotificationEnvelope: Codable, Equatable, Sendable {
    /// In compact serialization, RFC 7515 section 7.1; its claims are a `NotificationPayload`.
    public var payload: String

    public init(payload: String) {
        self.payload = payload
    }
}
