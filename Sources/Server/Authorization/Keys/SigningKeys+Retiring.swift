import Directory
import Foundation
import Ground
import Storage

/// Retires keys that may have been stolen. A retired key is no longer published, and nothing that it signed is
/// accepted: here within ``SigningKeys/patience``, by apps as soon as they read the key list again.
extension SigningKeys {
    package enum Problem: Error, Equatable, CustomStringConvertible {
        case unknown(String)
        case retiredBefore(String)
        case lastOne(String)

        package var description: String {
            switch self {
            case .unknown(let id): "There is no signing key “\(id)”."
            case .retiredBefore(let id): "The signing key \(id) was retired before."
            case .lastOne(let id): "\(id) signs now, and no key of its algorithm follows it."
            }
        }
    }

    /// A key as stored, for the operator.
    package struct Listed: Sendable {
        package let keyID: String
        package let algorithm: SigningAlgorithm
        package let createdAt: Date
        package let signsFrom: Date
        package let retiredAt: Date?
    }

    /// All keys in the order in which they sign, including retired ones.
    package static func list(in transaction: some Transaction) throws -> [Listed] {
        try transaction.all(
            """
            SELECT key_id, algorithm, created_at, COALESCE(signs_from, created_at) AS signs_from, retired_at
            FROM server_key
            WHERE purpose = $1
            ORDER BY COALESCE(server_key.signs_from, created_at), created_at, key_id
            """,
            [purpose]
        ) {
            Listed(
                keyID: try $0["key_id"], algorithm: try $0["algorithm"], createdAt: try $0["created_at"],
                signsFrom: try $0["signs_from"], retiredAt: try $0["retired_at"])
        }
    }

    /// Retires a key. If it is the one that signs, the next key of its algorithm signs from now on. An earlier key
    /// never does, because it may have been stolen for the same reason. Keys that have expired are retired too, so that
    /// none of them is used again. The caller writes the audit trail.
    /// - Returns: the keys that were retired, and the one that signs from now on, if one of these did before.
    /// - Throws: ``Problem``
    package static func retire(
        _ keyID: String, at now: Date, in transaction: WriteTransaction
    ) throws -> (keyIDs: [String], successor: String?) {
        let keys = try list(in: transaction)
        guard let key = keys.first(where: { $0.keyID == keyID }) else { throw Problem.unknown(keyID) }
        guard key.retiredAt == nil else { throw Problem.retiredBefore(keyID) }
        let living = keys.filter { $0.retiredAt == nil && $0.algorithm == key.algorithm }
        // A key whose successor began long ago is not accepted any more. Without the retired key between them it would
        // look like the direct predecessor of the next one, and be published again.
        let over = zip(living, living.dropFirst()).filter { !isPublished(until: $1.signsFrom, at: now) }.map(\.0.keyID)
        var successor: String?
        // If the clock was set back, no key may have begun to sign; then the first one signs.
        let signing = living.last { $0.signsFrom <= now } ?? living.first
        if signing?.keyID == keyID {
            guard let next = living.first(where: { $0.signsFrom > now && $0.keyID != keyID }) else {
                throw Problem.lastOne(keyID)
            }
            try transaction.execute("UPDATE server_key SET signs_from = $2 WHERE key_id = $1", [next.keyID, now])
            successor = next.keyID
        }
        let retired = over.filter { $0 != keyID } + [keyID]
        try retire(retired, at: now, in: transaction)
        return (retired, successor)
    }

    /// Retires all keys of the algorithms, for which new ones are inserted in the same transaction: whoever has stolen
    /// one of them may have stolen them all, including the next one. The caller writes the audit trail.
    /// - Returns: the ids of the keys that were retired.
    package static func retireAll(
        of algorithms: [SigningAlgorithm], at now: Date, in transaction: WriteTransaction
    ) throws -> [String] {
        let keyIDs = try list(in: transaction)
            .filter { $0.retiredAt == nil && algorithms.contains($0.algorithm) }.map(\.keyID)
        try retire(keyIDs, at: now, in: transaction)
        return keyIDs
    }

    private static func retire(_ keyIDs: [String], at now: Date, in transaction: WriteTransaction) throws {
        for keyID in keyIDs {
            try transaction.execute("UPDATE server_key SET retired_at = $2 WHERE key_id = $1", [keyID, now])
        }
    }
}
