import Directory
import Foundation
import Ground
import ServerHTTP
import Storage

extension Invitation {
    /// Makes a one-time link to make an administrator's account, and notes it in the trail. Earlier ones of the
    /// organization become void.
    /// - Returns: the path of the link at the server.
    static func issuePath(
        for organization: Organization, at now: Date, from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> String {
        let secret = try insert(
            to: organization.id, as: .administrator, at: now, from: surroundings, in: transaction)
        try AuditEntry(
            .invitationIssued, by: .operator, on: "organization:\(organization.publicID)", outcome: .done,
            from: .commandLine
        ).append(to: organization.id, at: now, in: transaction)
        return InvitationRoutes.path(of: secret.text)
    }
}
