extension OutgoingNotification {
    /// The event as stored, with internal ids. Issuer, audience and the pairwise id are added when it is sent.
    struct Event: Codable, Sendable {
        let type: String
        let person: Int64
        /// Only for an organization's consent.
        var organization: Int64?
        var scopes: String?
        /// In seconds; in milliseconds for an event about a person.
        let eventTime: Int
        /// The hidden address, if the event is about one.
        var email: String?
        /// Only for a logout: the client that is told. `session` is the session that has ended, if it is a single one.
        var client: String?
        var session: String?

        var isLogout: Bool { client != nil }
    }

    /// An event about a person's account, of which an app is told.
    package enum PersonEvent: Sendable {
        case consentRevoked
        case accountDeleted
        case emailDisabled(hiddenAddress: String)
        case emailEnabled(hiddenAddress: String)

        var type: String {
            switch self {
            case .consentRevoked: "consent-revoked"
            // The existing clients expect this; the current documentation of that service says `account-deleted`.
            case .accountDeleted: "account-delete"
            case .emailDisabled: "email-disabled"
            case .emailEnabled: "email-enabled"
            }
        }

        var hiddenAddress: String? {
            switch self {
            case .emailDisabled(let address), .emailEnabled(let address): address
            case .consentRevoked, .accountDeleted: nil
            }
        }

        /// Whether the event ends the person's sessions at the app.
        var endsSessions: Bool {
            switch self {
            case .consentRevoked, .accountDeleted: true
            case .emailDisabled, .emailEnabled: false
            }
        }
    }
}
