import Authorization
import Crypto
import Directory
import Foundation
import Storage

/// A key of a team, of which the server has the public half alone.
package struct KeyRecord: Codable, Equatable, Sendable {
    /// `kid` of client secrets.
    package let keyID: String
    package let name: String
    package let teamID: String
    package let teamName: String
    /// PEM.
    package let publicKey: String
    package let createdAt: Date
    package let revokedAt: Date?

    init(_ key: TeamKey, in transaction: some Transaction) throws {
        let key = try TeamKey.find(key.keyID, in: transaction) ?? key  // as it is after a change
        let team = try Team.find(key.teamID, in: transaction)
        keyID = key.keyID
        name = key.name
        teamID = team?.publicID ?? ""
        teamName = team?.name ?? ""
        publicKey = key.publicKeyPEM
        createdAt = key.createdAt
        revokedAt = key.revokedAt
    }
}

extension TeamKey: OperationSubject {
    package var subjectOrganization: OrganizationID? { nil }
    package var subjectTeam: TeamID? { teamID }
    package var auditName: String { "key:\(keyID)" }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: teamID) }
}

/// Lists the keys of the caller's teams, revoked ones too; for the operator, of all teams.
package struct ListKeys: Inquiry {
    package static let name = "key.list"
    package static let summary = "Lists the keys of your teams, revoked ones too; for the operator, of all teams."
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.get, "keys", below: .server)
    package static let explanations = ["team": "Only those of this team: its id, or its exact name."]

    package struct Answer: Codable, Sendable {
        package let keys: [KeyRecord]
    }

    package let team: TeamReference?

    package init(team: TeamReference? = nil) { self.team = team }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> TeamListing {
        try TeamListing(team, for: Self.privilege, in: context, transaction)
    }

    package func answer(
        about listing: TeamListing, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        Answer(
            keys: try listing.teams.flatMap { try TeamKey.list(of: $0.id, in: transaction) }
                .map { try KeyRecord($0, in: transaction) })
    }
}

/// Registers the public half of a key that the team has made.
package struct RegisterKey: Change, TeamOperation {
    package typealias Answer = KeyRecord

    package static let name = "key.register"
    package static let summary = """
        Registers the public half of a key, with which the team signs its client secrets. The private half stays with \
        whoever has made it.
        """
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.post, "teams/{team}/keys", below: .server)
    package static let explanations = [
        "team": TeamReference.explanation, "name": "The name, to tell it from other keys.",
        "publicKey": "The public key: P-256, in PEM (`BEGIN PUBLIC KEY`).",
    ]
    package static let undo = UndoRule.possible

    /// How many keys of a team can count at the same time.
    static let keysMax = 50

    package let team: TeamReference
    package let name: String
    package let publicKey: String

    package init(team: TeamReference, name: String, publicKey: String) {
        self.team = team
        self.name = name
        self.publicKey = publicKey
    }

    package func carryOut(on team: Team, _: Void, in act: Act) throws -> KeyRecord {
        guard !publicKey.contains("PRIVATE KEY") else {
            throw OperationError.invalid(
                field: "publicKey", reason: "is a private key, which stays with the team. Hand in its public half")
        }
        guard let publicKey = try? P256.Signing.PublicKey(pemRepresentation: publicKey) else {
            throw OperationError.invalid(field: "publicKey", reason: "is no public P-256 key in PEM, as ES256 needs")
        }
        let keys = try TeamKey.list(of: team.id, in: act.transaction)
        if let twin = keys.first(where: { $0.publicKeyPEM == publicKey.pemRepresentation }) {
            throw OperationError.refused(
                "This key is registered already, as \(twin.keyID)\(twin.revokedAt == nil ? "" : ", and revoked"). "
                    + "Hand in another one.")
        }
        guard keys.count(where: { $0.revokedAt == nil }) < Self.keysMax else {
            throw OperationError.refused("\(team.name) has \(Self.keysMax) keys. Revoke one that is not used any more.")
        }
        let key = try TeamKey.insert(
            publicKey, name: name, of: team.id, at: act.now, from: act.surroundings, in: act.transaction)
        try act.record(.keyCreated, on: key, called: key.name, team.auditName)
        act.undo(by: RevokeKey(key: key.keyID))
        return try KeyRecord(key, in: act.transaction)
    }
}

/// Revokes a key.
package struct RevokeKey: Change {
    package typealias Answer = KeyRecord

    package static let name = "key.revoke"
    package static let summary = "Revokes a key: from the next call on nothing that it has signed is accepted any more."
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.delete, "keys/{key}", below: .server)
    package static let explanations = ["key": "The key id."]
    package static let undo = UndoRule.impossible("Whoever revokes a key may know that others have it.")

    package let key: String

    package init(key: String) { self.key = key }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> TeamKey {
        guard let found = try TeamKey.find(key, in: transaction),
            context.authority.has(Self.privilege, in: found.teamID)
        else {
            guard context.authority.isOperator else { throw OperationError.forbidden(Self.privilege) }
            throw OperationError.notFound(.key, key, in: nil)
        }
        return found
    }

    package func carryOut(on key: TeamKey, _: Void, in act: Act) throws -> KeyRecord {
        guard try key.revoke(at: act.now, in: act.transaction) else {
            throw OperationError.refused("The key \(key.keyID) was revoked before.")
        }
        try act.record(.keyRevoked, on: key, called: key.name)
        return try KeyRecord(key, in: act.transaction)
    }
}
