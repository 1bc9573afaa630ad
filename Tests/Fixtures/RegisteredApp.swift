import Authorization
import Crypto
import Directory
import Foundation
import Ground
import Storage

/// A team with one key and one app, and the private half of the key as the team has it.
package struct RegisteredApp: Sendable {
    package let team: Team
    package let key: TeamKey
    package let privateKey: P256.Signing.PrivateKey
    package let app: App
    package let clientID: String
    package let returnURL: String

    package static func insert(
        in database: any Database, _ fixed: FixedSurroundings, under masterKey: MasterKey,
        clientIDs: [String] = ["com.example.quizzler"],
        scopes: Set<Scope> = [.usersRead, .classesRead, .testRead],
        notificationURL: String? = "https://quizzler.example/notifications"
    ) async throws -> RegisteredApp {
        let (now, surroundings, privateKey) = (fixed.now, fixed.surroundings, P256.Signing.PrivateKey())
        let returnURL = "https://quizzler.example/callback"
        return try await database.write { transaction in
            let team = try Team.insert(
                name: "Quizzler Inc.", at: now, from: surroundings, under: masterKey, in: transaction)
            let key = try TeamKey.insert(
                privateKey.publicKey, name: "Server", of: team.id, at: now, from: surroundings, in: transaction)
            let app = try App.insert(
                name: "Quizzler", team: team.id, clientIDs: clientIDs,
                returnURLs: [try ReturnURL(returnURL, allowingLoopback: false)], scopes: ScopeSet(scopes),
                notificationURL: notificationURL, at: now, in: transaction)
            return RegisteredApp(
                team: team, key: key, privateKey: privateKey, app: app, clientID: clientIDs[0], returnURL: returnURL)
        }
    }

    /// The claims of a good client secret.
    package func claims(at now: Date) -> [String: any Sendable] {
        [
            "iss": team.publicID, "iat": Int(now.timeIntervalSince1970), "exp": Int(now.timeIntervalSince1970) + 86_400,
            "aud": "https://appleid.apple.com", "sub": clientID,
        ]
    }

    /// A client secret; what is handed in replaces what a good one has. Nil leaves a member out.
    package func clientSecret(
        at now: Date, header: [String: (any Sendable)?] = [:], claims: [String: (any Sendable)?] = [:]
    ) throws -> String {
        let header = ["alg": "ES256", "kid": key.keyID].merging(header) { $1 }.compactMapValues { $0 }
        let claims = self.claims(at: now).merging(claims) { $1 }.compactMapValues { $0 }
        return try JWT.sign(header: header, claims: claims) { try privateKey.signature(for: $0).rawRepresentation }
    }
}

/// Writes JWTs, good and bad ones.
package enum JWT {
    package static func sign(
        header: [String: any Sendable], claims: [String: any Sendable], with signature: (Data) throws -> Data
    ) throws -> String {
        try sign(
            header: JSONSerialization.data(withJSONObject: header, options: .sortedKeys),
            claims: JSONSerialization.data(withJSONObject: claims, options: .sortedKeys), with: signature)
    }

    package static func sign(header: Data, claims: Data, with signature: (Data) throws -> Data) rethrows -> String {
        let signed = "\(header.base64URLEncoded).\(claims.base64URLEncoded)"
        return try "\(signed).\(signature(Data(signed.utf8)).base64URLEncoded)"
    }
}
