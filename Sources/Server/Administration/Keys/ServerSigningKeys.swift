import Authorization
import Directory
import Storage

/// The keys with which the server signs identity tokens and notifications. They belong to no organization.
package struct ServerSigningKeys: OperationSubject {
    package var subjectOrganization: OrganizationID? { nil }
    package var auditName: String { "server" }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.isOperator }
}

/// One signing key, as the audit trail names it.
struct ServerSigningKey: OperationSubject {
    let keyID: String

    var subjectOrganization: OrganizationID? { nil }
    var auditName: String { "key:\(keyID)" }

    func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.isOperator }
}

extension Act {
    func recordRetired(_ keyID: String) throws {
        try record(.signingKeyRetired, on: ServerSigningKey(keyID: keyID), called: keyID)
    }
}
