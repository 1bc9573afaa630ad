import Foundation

/// The claims of a server-to-server notification.
public struct NotificationPayload: Codable, Equatable, Sendable {
    public var issuer: String
    /// The client id of the app that is notified.
    public var audience: String
    /// Seconds since 1970.
    public var issuedAt: Int
    /// Seconds since 1970. Sent by the service that signs people in, a day after the time of issue.
    public var expiresAt: Int?
    /// Unique for each notification and the same in each attempt to deliver it.
    public var id: String
    public var events: [NotificationEvent]

    public init(
        issuer: String,
        audience: String,
        issuedAt: Int,
        expiresAt: Int? = nil,
        id: String,
        events: [NotificationEvent]
    ) {
        self.issuer = issuer
        self.audience = audience
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.id = id
        self.events = events
    }

    /// Accepts events as an array, as one object, and as a string that contains either in JSON. Data sharing sends the
    /// first, sign-in the last. They are encoded as an array.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        issuer = try container.decode(String.self, forKey: .issuer)
        audience = try container.decode(String.self, forKey: .audience)
        issuedAt = try container.decode(Int.self, forKey: .issuedAt)
        expiresAt = try container.decodeIfPresent(Int.self, forKey: .expiresAt)
        id = try container.decode(String.self, forKey: .id)
        let events: OneOrMany
        if let json = try? container.decode(String.self, forKey: .events) {
            events = try JSONDecoder().decode(OneOrMany.self, from: Data(json.utf8))
        } else {
            events = try container.decode(OneOrMany.self, forKey: .events)
        }
        self.events = events.values
    }

    private enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case audience = "aud"
        case issuedAt = "iat"
        case expiresAt = "exp"
        case id = "jti"
        case events
    }
}

/// Events as an array or as a single object.
private struct OneOrMany: Decodable {
    let values: [NotificationEvent]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let one = try? container.decode(NotificationEvent.self) {
            values = [one]
        } else {
            values = try container.decode([NotificationEvent].self)
        }
    }
}
