import Authorization
import Crypto
import Directory
import Foundation
import Ground
import Storage

/// An app of a team, and the private key that only its server has.
struct TestApp: Sendable {
    let team: Team
    let app: App
    let keyID: String
    let privateKey: P256.Signing.PrivateKey
    let clientID: String
    let redirectURI: String

    /// - Parameter team: the team of the app; nil makes a new one.
    static func insert(
        _ clientIDs: String..., name: String = "Quizzler", team: Team? = nil,
        scopes: ScopeSet = ScopeSet(Scope.allCases), notificationURL: String? = nil, fixed: Surroundings,
        masterKey: MasterKey, in database: any Database
    ) async throws -> TestApp {
        let privateKey = P256.Signing.PrivateKey()
        let redirectURI = "https://\(clientIDs[0]).example/callback"
        return try await database.write { transaction in
            let now = fixed.now()
            let team =
                try team
                ?? Team.insert(
                    name: "\(name) Inc.", at: now, from: fixed, under: masterKey, in: transaction)
            let app = try App.insert(
                name: name, team: team.id, clientIDs: clientIDs,
                returnURLs: [
                    try ReturnURL(redirectURI, allowingLoopback: false),
                    try ReturnURL("\(redirectURI)?tenant=a", allowingLoopback: false),
                ],
                scopes: scopes, notificationURL: notificationURL, at: now, in: transaction)
            let key = try TeamKey.insert(
                privateKey.publicKey, name: "Test", of: team.id, at: now, from: fixed, in: transaction)
            return TestApp(
                team: team, app: app, keyID: key.keyID, privateKey: privateKey, clientID: clientIDs[0],
                redirectURI: redirectURI)
        }
    }

    func list(in organization: OrganizationID, _ isListed: Bool = true, of database: any Database, at now: Date)
        async throws
    {
        let id = app.id
        try await database.write {
            try AccessRule.apply(
                isListed ? .list(id) : .unlist(id), to: organization, purpose: .dataSharing, by: .operator,
                from: .commandLine, at: now, in: $0
            )
        }
    }

    enum Signature {
        case raw
        /// ASN.1 instead of the raw format, a common mistake.
        case der
        case byAnotherKey
        case missing
    }

    /// A client secret that is valid for ten minutes.
    /// - Parameters:
    ///   - claims: replace those of a valid one; `NSNull` leaves one out.
    ///   - header: replaces members of a valid one, in the same way.
    func secret(
        at now: Date, claims: [String: Any] = [:], header: [String: Any] = [:], signature: Signature = .raw
    ) throws -> String {
        let good: [String: Any] = [
            "iss": team.publicID, "iat": Int(now.timeIntervalSince1970), "exp": Int(now.timeIntervalSince1970) + 600,
            "aud": "https://appleid.apple.com", "sub": clientID,
        ]
        func part(_ good: [String: Any], _ other: [String: Any]) throws -> String {
            let all = good.merging(other) { _, other in other }.filter { !($0.value is NSNull) }
            return try JSONSerialization.data(withJSONObject: all).base64URLEncoded
        }
        let content = "\(try part(["alg": "ES256", "kid": keyID], header)).\(try part(good, claims))"
        let bytes =
            switch signature {
            case .raw: try privateKey.signature(for: Data(content.utf8)).rawRepresentation
            case .der: try privateKey.signature(for: Data(content.utf8)).derRepresentation
            case .byAnotherKey: try P256.Signing.PrivateKey().signature(for: Data(content.utf8)).rawRepresentation
            case .missing: Data()
            }
        return "\(content).\(bytes.base64URLEncoded)"
    }
}
