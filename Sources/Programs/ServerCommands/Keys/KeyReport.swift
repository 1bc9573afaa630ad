import Authorization
import Foundation
import Storage

/// What commands print of a key: never its private half, which the server does not have.
struct KeyReport: Encodable, Sendable {
    let keyID: String
    let name: String
    let teamID: String
    let teamName: String
    let publicKey: String
    let createdAt: Date
    let revokedAt: Date?

    init(_ key: TeamKey, in transaction: some Transaction) throws {
        let key = try TeamKey.find(key.keyID, in: transaction) ?? key  // as it stands after a change
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
