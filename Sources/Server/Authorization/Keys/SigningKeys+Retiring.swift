import Directory
import Foundation
import Ground
import Storage

/// Keys that somebody else may have. A key that is retired is not published any more, and nothing that it signed
/// counts: here within ``SigningKeys/patience``, with apps as soon as they read the list again.
extension SigningKeys {
    package enum Problem: Error, Equatable, CustomStringConvertible {
        case unknown(String)
        case retiredBefore(String)
        case lastOne(String)

        package var description: String {
            switch self {
            case .unknown(let id):
                "There is no signing key “\(id)”. `lanyard signing-key list` shows those that there are."
            case .retiredBefore(let id): "The signing key \(id) was retired before."
            case .lastOne(let id):
                """
                \(id) signs now, and no key of its algorithm follows it. `lanyard signing-key rotate --now` makes another \
                one that signs at once, and retires this one.
                """
            }
        }
    }

    /// What stands in the database, for the operator.
    package struct Listed: Sendable {
        package let keyID: String
        package let algorithm: SigningAlgorithm
        package let createdAt: Date
        package let signsFrom: Date
        package let retiredAt: Date?
    }

    /// In the order in which they sign, retired ones included.
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

    /// Retires a key. If it is the one that signs, the key of its algorithm that was to follow it signs from now on: never
    /// one from before it, which may be out for the same reason.
    /// With it those retire whose time is over, so that none of them comes back.
    /// - Returns: the key that takes its place, if it was the one that signed.
    /// - Throws: ``Problem``
    package static func retire(
        _ keyID: String, by actor: Actor, from origin: Origin, at now: Date, in transaction: WriteTransaction
    ) throws -> String? {
        let keys = try list(in: transaction)
        guard let key = keys.first(where: { $0.keyID == keyID }) else { throw Problem.unknown(keyID) }
        guard key.retiredAt == nil else { throw Problem.retiredBefore(keyID) }
        let living = keys.filter { $0.retiredAt == nil && $0.algorithm == key.algorithm }
        // Of one whose successor began long ago nothing is believed any more. Without the key between them it would look
        // like the predecessor of the one that signs next, and be published again.
        let over = zip(living, living.dropFirst()).filter { !isPublished(until: $1.signsFrom, at: now) }.map(\.0.keyID)
        var successor: String?
        // By a clock that was set back none may have begun; then the first one signs.
        let signing = living.last { $0.signsFrom <= now } ?? living.first
        if signing?.keyID == keyID {
            guard let next = living.first(where: { $0.signsFrom > now && $0.keyID != keyID }) else {
                throw Problem.lastOne(keyID)
            }
            try transaction.execute("UPDATE server_key SET signs_from = $2 WHERE key_id = $1", [next.keyID, now])
            successor = next.keyID
        }
        try retire(over.filter { $0 != keyID } + [keyID], by: actor, from: origin, at: now, in: transaction)
        return successor
    }

    /// Makes a key of each algorithm that signs at once, and retires all others of it: whoever has one of them may have
    /// them all, the next one too.
    /// - Returns: the new keys, and those that were retired.
    package static func replaceAll(
        of algorithms: [SigningAlgorithm] = SigningAlgorithm.allCases, in database: any Database,
        under masterKey: MasterKey, surroundings: Surroundings, by actor: Actor, from origin: Origin
    ) async throws -> (made: [String], retired: [String]) {
        let new = try algorithms.map { try NewKey($0, under: masterKey, surroundings: surroundings) }
        let now = surroundings.now()
        return try await database.write { transaction in
            let former = try list(in: transaction)
                .filter { $0.retiredAt == nil && algorithms.contains($0.algorithm) }.map(\.keyID)
            for key in new { try key.insert(signingFrom: now, by: actor, from: origin, at: now, in: transaction) }
            try retire(former, by: actor, from: origin, at: now, in: transaction)
            return (new.map(\.keyID), former)
        }
    }

    private static func retire(
        _ keyIDs: [String], by actor: Actor, from origin: Origin, at now: Date, in transaction: WriteTransaction
    ) throws {
        for keyID in keyIDs {
            try transaction.execute("UPDATE server_key SET retired_at = $2 WHERE key_id = $1", [keyID, now])
            try AuditEntry(.signingKeyRetired, by: actor, on: "key:\(keyID)", outcome: .done, from: origin)
                .append(to: nil, at: now, in: transaction)
        }
    }
}
