import Foundation

/// Something that happened to an organization's consent.
public struct NotificationEvent: Codable, Equatable, Sendable {
    /// `consent-revoked`; an app ignores types that it does not know.
    public var type: String
    /// The `User.id` of the person who acted.
    public var subject: String?
    /// The `Organization.id`, all of whose data the app has to delete.
    public var organizationID: String?
    /// Space-separated on the wire.
    public var scopes: [Scope]
    public var time: Date?

    public static let consentRevoked = "consent-revoked"

    public init(type: String, subject: String?, organizationID: String?, scopes: [Scope] = [], time: Date?) {
        self.type = type
        self.subject = subject
        self.organizationID = organizationID
        self.scopes = scopes
        self.time = time
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(String.self, forKey: .type)
        subject = try container.decodeIfPresent(String.self, forKey: .subject)
        organizationID = try container.decodeIfPresent(String.self, forKey: .organizationID)
        scopes = Scope.list(try container.decodeIfPresent(String.self, forKey: .scopes) ?? "")
        time = try container.decodeIfPresent(Double.self, forKey: .time).map(Self.date)
    }

    /// Writes the time as whole seconds since 1970.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encodeIfPresent(subject, forKey: .subject)
        try container.encodeIfPresent(organizationID, forKey: .organizationID)
        if !scopes.isEmpty {
            try container.encode(scopes.scopeList, forKey: .scopes)
        }
        try container.encodeIfPresent(time.map { Int($0.timeIntervalSince1970.rounded(.down)) }, forKey: .time)
    }

    /// Seconds in the samples, but nothing promises the unit: as seconds, a count beyond 10¹¹ would be in the year
    /// 5138, so it is taken as milliseconds.
    private static func date(_ count: Double) -> Date {
        Date(timeIntervalSince1970: count > 100_000_000_000 ? count / 1_000 : count)
    }

    private enum CodingKeys: String, CodingKey {
        case type
        case subject = "sub"
        case organizationID = "org_id"
        case scopes
        case time = "event_time"
    }
}
