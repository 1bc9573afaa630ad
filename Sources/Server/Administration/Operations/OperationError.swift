/// Why an operation was not carried out. Nothing was changed.
package enum OperationError: Error, Equatable {
    package enum Kind: String, Codable, CaseIterable, Sendable {
        case organization
        case person
        case location
        case `class`
        case term
        case change
        case job
        case apiClient = "API client"
        case app
        case consent = "consent for the app"
        case idMap = "id map"
        case hold = "legal hold"
        case rosterImport = "import"
        case domain
        case realm
        case device
        case team
        case member
        case client
        case key
        case sender
        case notification
        case signingKey = "signing key"
        case pickUp = "pick-up"
    }

    /// The caller cannot sign in any more, or the access token has ended.
    case signedOut
    /// The caller lacks the privilege, or lacks it at this place.
    case forbidden(Privilege)
    /// Nothing matches, or nothing of which the caller may know.
    case notFound(Kind, String, in: String?)
    /// The text matches several; the list has unambiguous texts for each of them that the caller may see.
    case ambiguous(Kind, String, [String])
    /// No organization was named, and there is none or more than one.
    case unnamedOrganization(count: Int)
    /// The subject was changed after the caller looked at it; `version` is its version now.
    case stale(version: String)
    /// The change does not fit the present state. The sentence says why; the remedy is an operation that helps.
    case refused(String, remedy: Remedy? = nil)
    /// The value of a field is invalid; the reason completes the sentence “The <field> …”.
    case invalid(field: String, reason: String)

    /// Some of many items could not be done, and so none was. The failures are listed by the items' index.
    case items([Int: OperationFailure])

    /// An operation that would make the refused one possible.
    package struct Remedy: Equatable, Codable, Sendable {
        package let operation: String
        package let subject: String
        /// How the operation helps.
        package enum Use: Equatable, Sendable {
            /// It has to be carried out before the refused one.
            case first
            /// It does what the text says, which completes the sentence “`lanyard app show …` …”, as in “lists those
            /// that it has”.
            case looking(String)
        }
        package let use: Use

        package init(_ operation: String, _ subject: String, use: Use = .first) {
            self.operation = operation
            self.subject = subject
            self.use = use
        }
    }
}

/// Encoded as one text: `first`, or the text of ``looking(_:)``.
extension OperationError.Remedy.Use: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self = text == "first" ? .first : .looking(text)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .first: try container.encode("first")
        case .looking(let text): try container.encode(text)
        }
    }
}

extension OperationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .signedOut: "You are not signed in any more."
        case .forbidden(let privilege) where privilege.isOverPeople:
            "You may not do this: it needs the privilege \(privilege.rawValue) there, over every role of whom it concerns."
        case .forbidden(let privilege): "You may not do this: it needs the privilege \(privilege.rawValue) there."
        case .notFound(let kind, let text, let place):
            place.map { "\($0) has no \(kind.rawValue) “\(text)”." } ?? "There is no \(kind.rawValue) “\(text)”."
        case .ambiguous(let kind, let text, let choices) where choices.isEmpty:
            "“\(text)” means several \(kind.plural); name the one you mean in another way."
        case .ambiguous(let kind, let text, let choices):
            "“\(text)” means several \(kind.plural); name one of these: \(choices.joined(separator: ", "))."
        case .unnamedOrganization(0): "There is no organization yet."
        case .unnamedOrganization(let count): "There are \(count) organizations; say which."
        case .stale: "It was changed in the meantime. Look at it again, then repeat what still applies."
        case .refused(let reason, _): reason
        case .invalid(let field, let reason): "The \(field) \(reason)."
        case .items(let failures): "Nothing was changed, because \(failures.count) of the items cannot be done."
        }
    }
}

extension OperationError.Kind {
    var plural: String {
        switch self {
        case .organization: "organizations"
        case .person: "people"
        case .location: "locations"
        case .class: "classes"
        case .term: "terms"
        case .change: "changes"
        case .job: "jobs"
        case .apiClient: "API clients"
        case .app: "apps"
        case .consent: "consents"
        case .idMap: "id maps"
        case .hold: "legal holds"
        case .rosterImport: "imports"
        case .domain: "domains"
        case .realm: "realms"
        case .device: "devices"
        case .team: "teams"
        case .member: "members"
        case .client: "clients"
        case .key: "keys"
        case .sender: "senders"
        case .notification: "notifications"
        case .signingKey: "signing keys"
        case .pickUp: "pick-ups"
        }
    }
}
