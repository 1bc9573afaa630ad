import Foundation

/// Something that happened to an organization's consent, or to a person's account.
public struct NotificationEvent: Codable, Equatable, Sendable {
    /// One of the words below; an app ignores types that it does not know. `change` has them as typed values.
    public var type: String
    /// The `User.id` of the person who acted, or whose account it is.
    public var subject: String?
    /// The `Organization.id`, all of whose data the app has to delete.
    public var organizationID: String?
    /// Space-separated on the wire.
    public var scopes: [Scope]
    /// The hidden address to which forwarding was switched on or off.
    public var email: String?
    /// The text `true` on the wire; a boolean is accepted too.
    public var isPrivateEmail: Bool?
    /// When it happened.
    public var time: Date?

    /// A person or an organization has ended the consent.
    public static let consentRevoked = "consent-revoked"
    /// Forwarding to a hidden address was switched on.
    public static let emailEnabled = "email-enabled"
    /// Forwarding to a hidden address was switched off.
    public static let emailDisabled = "email-disabled"
    public static let accountDelete = "account-delete"
    /// Another spelling of `account-delete`, which is found in documentation.
    public static let accountDeleted = "account-deleted"

    public init(
        type: String,
        subject: String?,
        organizationID: String? = nil,
        scopes: [Scope] = [],
        email: String? = nil,
        isPrivateEmail: Bool? = nil,
        time: Date?
    ) {
        self.type = type
        self.subject = subject
        self.organizationID = organizationID
        self.scopes = scopes
        self.email = email
        self.isPrivateEmail = isPrivateEmail
        self.time = time
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(String.self, forKey: .type)
        subject = try container.decodeIfPresent(String.self, forKey: .subject)
        organizationID = try container.decodeIfPresent(String.self, forKey: .organizationID)
        scopes = Scope.list(try container.decodeIfPresent(String.self, forKey: .scopes) ?? "")
        email = try container.decodeIfPresent(String.self, forKey: .email)
        isPrivateEmail = try container.decodeIfPresent(TruthValue.self, forKey: .isPrivateEmail)?.value
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
        try container.encodeIfPresent(email, forKey: .email)
        try container.encodeIfPresent(isPrivateEmail.map { "\($0)" }, forKey: .isPrivateEmail)
        try container.encodeIfPresent(time.map { Int($0.timeIntervalSince1970.rounded(.down)) }, forKey: .time)
    }

    /// The time is in seconds for data sharing and in milliseconds for signing in, but nothing guarantees the unit. As
    /// seconds, a number beyond 10¹¹ would be after the year 5138, so it is read as milliseconds.
    private static func date(_ count: Double) -> Date {
        Date(timeIntervalSince1970: count > 100_000_000_000 ? count / 1_000 : count)
    }

    private enum CodingKeys: String, CodingKey {
        case type
        case subject = "sub"
        case organizationID = "org_id"
        case scopes
        case email
        case isPrivateEmail = "is_private_email"
        case time = "event_time"
    }
}

extension NotificationEvent {
    /// A change on which an app has to act.
    public enum Change: Equatable, Sendable {
        /// Mail to the person's hidden address is forwarded again.
        case emailEnabled(personID: String, email: String)
        /// Mail to the person's hidden address is not forwarded: do not send any.
        case emailDisabled(personID: String, email: String)
        /// The person no longer uses the app, or their organization does not allow it: end their sessions.
        case personStopped(personID: String)
        /// The account was deleted: end its sessions and delete its data.
        case accountDeleted(personID: String)
        /// The organization no longer shares its roster: delete all its data.
        case organizationStopped(organizationID: String, scopes: [Scope])
        /// An unknown or incomplete event. Ignore it.
        case other
    }

    /// The event as a typed value.
    public var change: Change {
        switch type {
        case Self.consentRevoked:
            // The type is sent for people and for organizations; only events of organizations have an organization's
            // id.
            if let organizationID { return .organizationStopped(organizationID: organizationID, scopes: scopes) }
            return subject.map { .personStopped(personID: $0) } ?? .other
        case Self.emailEnabled, Self.emailDisabled:
            guard let subject, let email else { return .other }
            return type == Self.emailEnabled
                ? .emailEnabled(personID: subject, email: email) : .emailDisabled(personID: subject, email: email)
        case Self.accountDelete, Self.accountDeleted:
            return subject.map { .accountDeleted(personID: $0) } ?? .other
        default:
            return .other
        }
    }
}
