import Authorization
import Foundation
import Storage

/// The output of commands about a key. It has only the public key, as the server does not have the private one.
struct KeyReport: Encodable, Sendable {
    let keyID: String
    let name: String
    let teamID: String
    let teamName: String
    let publicKey: String
    let createdAt: Date
    let revokedAt: Date?

    init(_ key: TeamKey, in transaction: some Transaction) throws {
        let key = try TeamKey.find(key.keyID, in: transaction) ?? key  // current state after a change
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
