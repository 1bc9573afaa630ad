import Accounts
import Authorization
import Directory
import HiddenMail
import Storage

/// An ``OperationError`` as a value that can be stored and sent: the API turns it into a problem, and a remote command
/// line into a message.
package struct OperationFailure: Error, Codable, Equatable, Sendable {
    /// The kind of the failure. The raw values never change their meaning.
    package enum Kind: String, Codable, CaseIterable, Sendable {
        case unauthorized
        case forbidden
        case notFound = "not-found"
        case ambiguous
        case invalid
        case refused
        case stale
        case items
        case unavailable
    }

    package let kind: Kind
    /// A sentence for people.
    package let detail: String
    /// The kind of record that is missing, or ambiguous.
    package var subjectKind: OperationError.Kind?
    /// The input that is invalid.
    package var field: String?
    /// Unambiguous texts for what an ambiguous reference can mean.
    package var choices: [String]?
    package var remedy: OperationError.Remedy?
    /// The subject's version now.
    package var version: String?
    /// The items that failed, of many, in their order.
    package var items: [Item]?

    package struct Item: Codable, Equatable, Sendable {
        /// The index of the item, from 0.
        package let index: Int
        package let kind: Kind
        package let detail: String
        package let field: String?
    }

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    /// - Returns: nil for errors that are not refusals, but defects or failures of the database that may pass.
    package init?(_ error: any Error) {
        switch error {
        case let failure as OperationFailure: self = failure
        case let error as OperationError: self.init(error)
        case DirectoryError.invalidField(let field, let reason):
            self.init(OperationError.invalid(field: field, reason: reason))
        case let problem as AppDomain.Problem:
            self.init(.invalid, problem.description)
            field = "domains"
        case let problem as ReturnURL.Problem:
            self.init(.invalid, problem.description)
            field = "returnURLs"
        case let problem as NotificationURL.Problem:
            self.init(.invalid, problem.description)
            field = "notificationURL"
        case let problem as App.Problem: self.init(.refused, problem.description)
        case let problem as RelaySender.Problem: self.init(.refused, problem.description)
        case let error as DirectoryError: self.init(.refused, error.description)
        case is PasswordHasher.Overloaded: self.init(.unavailable, "Too many passwords wait to be hashed.")
        case DatabaseError.unstorableText:
            self.init(.invalid, "A text has a character that cannot be stored.")
        default: return nil
        }
    }

    private init(_ error: OperationError) {
        switch error {
        case .signedOut: self.init(.unauthorized, error.description)
        case .forbidden: self.init(.forbidden, error.description)
        case .notFound(let kind, _, _):
            self.init(.notFound, error.description)
            subjectKind = kind
        case .ambiguous(let kind, _, let choices):
            self.init(.ambiguous, error.description)
            subjectKind = kind
            self.choices = choices
        case .unnamedOrganization(let count):
            self.init(count == 0 ? .notFound : .ambiguous, error.description)
            subjectKind = .organization
        case .stale(let version):
            self.init(.stale, error.description)
            self.version = version
        case .refused(_, let remedy):
            self.init(.refused, error.description)
            self.remedy = remedy
        case .invalid(let field, _):
            self.init(.invalid, error.description)
            self.field = field
        case .items(let failures):
            self.init(.items, error.description)
            items = failures.sorted { $0.key < $1.key }.map {
                Item(index: $0.key, kind: $0.value.kind, detail: $0.value.detail, field: $0.value.field)
            }
        }
    }
}
