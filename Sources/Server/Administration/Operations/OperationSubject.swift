import Directory
import Storage

/// A record that knows its own version.
package protocol Versioned {
    /// See ``OperationSubject/version(in:)``.
    var version: String { get }
}

/// The subject of an operation, with what is needed to decide who may do it.
package protocol OperationSubject: Sendable {
    /// The organization to which it belongs; nil if it belongs to none, and only the operator may touch it.
    var subjectOrganization: OrganizationID? { get }

    /// Its name in the audit trail, for example `person:12`.
    var auditName: String { get }

    /// Whether the caller has the privilege at the place of the subject.
    func isOpen(to authority: Authority, for privilege: Privilege, in transaction: some Transaction) throws -> Bool

    /// A short text that changes whenever something that administrators see of it changes; nil if it has no versions.
    func version(in transaction: some Transaction) throws -> String?
}

extension OperationSubject {
    package func version(in transaction: some Transaction) throws -> String? { nil }
}
