import Crypto
import CryptoExtras
import Directory
import Foundation
import Ground
import Storage

/// The server's own keys: those that sign identity tokens and notifications, one that seals access tokens, one that
/// seals page tokens. They are made at the first start, and held in memory.
package struct ServerKeys: Sendable {
    package let signing: SigningKeys
    package let accessTokens: SealingKey
    package let pageTokens: SealingKey

    /// The key from which the challenges are made that passkeys sign, and the ids by which authenticators know people.
    /// It is derived from another key, so that no further one has to be stored.
    package var passkeyChallenges: SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: pageTokens.key, info: Data("passkey challenges".utf8), outputByteCount: 32)
    }

    package struct SealingKey: Sendable {
        package let keyID: String
        package let key: SymmetricKey
    }
}

extension ServerKeys {
    /// Loads the keys, or makes them. If two servers start at once, both get the same keys.
    /// - Throws: ``MasterKey/Problem/doesNotFit``
    package static func load(
        from database: any Database, under masterKey: MasterKey, surroundings: Surroundings
    ) async throws -> ServerKeys {
        let (accessID, accessBytes) = try await load(
            "seal_access_tokens", from: database, under: masterKey, surroundings: surroundings
        ) { surroundings.randomBytes(64) }
        let (pageID, pageBytes) = try await load(
            "seal_page_tokens", from: database, under: masterKey, surroundings: surroundings
        ) { surroundings.randomBytes(32) }
        return ServerKeys(
            signing: try await SigningKeys.load(from: database, under: masterKey, surroundings: surroundings),
            accessTokens: SealingKey(keyID: accessID, key: SymmetricKey(data: accessBytes)),
            pageTokens: SealingKey(keyID: pageID, key: SymmetricKey(data: pageBytes)))
    }

    private static func load(
        _ purpose: String, from database: any Database, under masterKey: MasterKey, surroundings: Surroundings,
        make: () throws -> [UInt8]
    ) async throws -> (keyID: String, bytes: [UInt8]) {
        @Sendable func stored(_ transaction: some Transaction) throws -> (keyID: String, sealed: [UInt8])? {
            try transaction.first(
                "SELECT key_id, sealed_key FROM server_key WHERE purpose = $1 AND retired_at IS NULL ORDER BY created_at",
                [purpose]
            ) { (try $0["key_id"], try $0["sealed_key"]) }
        }
        if let found = try await database.read({ try stored($0) }) {
            return (found.keyID, try masterKey.open(found.sealed, for: purpose))
        }
        let sealed = try masterKey.seal(try make(), for: purpose)
        let keyID = ShortID.make(from: surroundings)
        let now = surroundings.now()
        let kept = try await database.write { transaction in
            if let found = try stored(transaction) { return found }
            try transaction.execute(
                "INSERT INTO server_key (key_id, purpose, sealed_key, created_at) VALUES ($1, $2, $3, $4)",
                [keyID, purpose, sealed, now])
            return (keyID: keyID, sealed: sealed)
        }
        return (kept.keyID, try masterKey.open(kept.sealed, for: purpose))
    }
}

/// The 10-character ids of teams and keys: capital letters and digits, as developers know them.
package enum ShortID {
    package static let length = 10

    package static func make(from surroundings: Surroundings) -> String {
        surroundings.randomText(length, from: "ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    }
}
