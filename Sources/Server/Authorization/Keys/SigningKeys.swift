import Crypto
import CryptoExtras
import Directory
import Foundation
import Ground
import Storage
import Synchronization

/// The keys that sign identity tokens and notifications: for each algorithm a sequence of keys, of which one signs at a
/// time. They are in the database, where another process may add one: every server reads them again from time to time,
/// without a restart.
///
/// A new key is published before it signs, for as long as clients cache the list. Its predecessor stays published until
/// all tokens that it signed have expired. `SigningKeys+Retiring.swift` withdraws a key that may have been stolen.
package final class SigningKeys: Sendable {
    private let database: any Database
    private let masterKey: MasterKey
    private let now: @Sendable () -> Date
    private let known: Mutex<Known>

    private struct Known {
        /// In the order in which they sign.
        var keys: [Entry]
        var readAt: Date

        func isFresh(at now: Date) -> Bool {
            // If the clock was set back, the list may seem to be read in the future; it is read again then, too.
            abs(now.timeIntervalSince(readAt)) <= SigningKeys.patience
        }
    }

    private struct Entry {
        let key: SigningKey
        let signsFrom: Date
    }

    /// For how many seconds a new key is published before it signs: twice the 15 minutes for which clients cache the
    /// list.
    package static let notice: TimeInterval = 1_800
    /// For how many seconds a key stays published after it has stopped signing. The longest-lived tokens are valid for
    /// a day.
    package static let retention: TimeInterval = 25 * 3_600
    /// For how many seconds the list in memory is used. After that time every server process has stopped using and
    /// accepting a key that was withdrawn.
    package static let patience: TimeInterval = 5

    static let purpose = "sign_tokens"

    /// Reads the keys, or makes the first one of each algorithm. If two servers start at once, both get the same keys.
    /// - Throws: ``MasterKey/Problem/doesNotFit``
    package static func load(
        from database: any Database, under masterKey: MasterKey, surroundings: Surroundings
    ) async throws -> SigningKeys {
        let keys = SigningKeys(database: database, masterKey: masterKey, now: surroundings.now)
        let present = Set(try await keys.refresh().map(\.key.algorithm))
        let missing = SigningAlgorithm.allCases.filter { !present.contains($0) }
        for algorithm in missing {
            try await add(
                algorithm, signingFrom: nil, to: database, under: masterKey, surroundings: surroundings, ifNone: true)
        }
        if !missing.isEmpty { _ = try await keys.refresh() }
        return keys
    }

    private init(database: any Database, masterKey: MasterKey, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.masterKey = masterKey
        self.now = now
        known = Mutex(Known(keys: [], readAt: .distantPast))
    }

    /// Makes a new key; the current key of the algorithm signs until `start`.
    /// - Parameters:
    ///   - start: when the new key begins to sign; nil for now.
    ///   - ifNone: whether to make none if the algorithm has a key already.
    /// - Returns: the id of the new key; nil if there was one already.
    @discardableResult
    package static func add(
        _ algorithm: SigningAlgorithm, signingFrom start: Date?, to database: any Database, under masterKey: MasterKey,
        surroundings: Surroundings, ifNone: Bool = false
    ) async throws -> String? {
        let new = try NewKey(algorithm, under: masterKey, surroundings: surroundings)
        let now = surroundings.now()
        return try await database.write { transaction in
            if ifNone,
                try transaction.exists(
                    "SELECT 1 FROM server_key WHERE purpose = $1 AND algorithm = $2 AND retired_at IS NULL",
                    [purpose, algorithm])
            {
                return nil
            }
            try new.insert(signingFrom: start ?? now, at: now, in: transaction)
            try AuditEntry(
                .signingKeyCreated, by: .system, on: "key:\(new.keyID)", outcome: .done, detail: algorithm.rawValue,
                from: .system
            ).append(to: nil, at: now, in: transaction)
            return new.keyID
        }
    }

    /// A key that is made before a transaction begins, because making one takes long.
    package struct NewKey: Sendable {
        package let keyID: String
        package let algorithm: SigningAlgorithm
        private let sealed: [UInt8]

        /// A key that cannot sign, for a transaction that is rolled back.
        package init(blank algorithm: SigningAlgorithm, surroundings: Surroundings) {
            self.algorithm = algorithm
            sealed = []
            keyID = ShortID.make(from: surroundings)
        }

        package init(_ algorithm: SigningAlgorithm, under masterKey: MasterKey, surroundings: Surroundings) throws {
            self.algorithm = algorithm
            sealed = try masterKey.seal(SigningKey.make(algorithm), for: purpose)
            keyID = ShortID.make(from: surroundings)
        }

        /// Stores the key. The caller writes the audit trail.
        package func insert(signingFrom start: Date, at now: Date, in transaction: WriteTransaction) throws {
            try transaction.execute(
                """
                INSERT INTO server_key (key_id, purpose, sealed_key, created_at, signs_from, algorithm)
                VALUES ($1, $2, $3, $4, $5, $6)
                """,
                [keyID, purpose, sealed, now, start, algorithm])
        }
    }

    private func refresh() async throws -> [Entry] {
        let present = known.withLock { $0.keys }
        let rows = try await database.read { transaction in
            try transaction.all(
                """
                SELECT key_id, sealed_key, COALESCE(signs_from, created_at) AS signs_from, algorithm FROM server_key
                WHERE purpose = $1 AND retired_at IS NULL
                ORDER BY COALESCE(signs_from, created_at), created_at, key_id
                """,
                [Self.purpose]
            ) { row in
                (
                    keyID: try row["key_id"] as String, sealed: try row["sealed_key"] as [UInt8],
                    signsFrom: try row["signs_from"] as Date,
                    algorithm: try row["algorithm"] as SigningAlgorithm
                )
            }
        }
        let keys = try rows.map { row in
            // Opening a key takes long, so known ones are kept: an id always stands for the same key.
            if let known = present.first(where: { $0.key.keyID == row.keyID }) {
                return Entry(key: known.key, signsFrom: row.signsFrom)
            }
            let bytes = try masterKey.open(row.sealed, for: Self.purpose)
            return Entry(
                key: try SigningKey(row.algorithm, keyID: row.keyID, derRepresentation: bytes),
                signsFrom: row.signsFrom)
        }
        let now = now()
        known.withLock { $0 = Known(keys: keys, readAt: now) }
        return keys
    }

    private func entries() async throws -> [Entry] {
        let now = now()
        let current = known.withLock { known -> [Entry]? in
            guard !known.isFresh(at: now) else { return known.keys }
            // Callers that come in the meantime use the keys in memory.
            guard !known.keys.isEmpty else { return nil }
            known.readAt = now
            return nil
        }
        return if let current { current } else { try await refresh() }
    }

    /// The key that signs now.
    package func current(_ algorithm: SigningAlgorithm) async throws -> SigningKey {
        let (entries, now) = (try await entries(), now())
        let current = entries.last { $0.key.algorithm == algorithm && $0.signsFrom <= now }
        // `load` has made a key for each algorithm.
        return (current ?? entries.first { $0.key.algorithm == algorithm }!).key
    }

    /// The keys of an algorithm that unexpired tokens may be signed with, and the next one.
    package func published(_ algorithm: SigningAlgorithm) async throws -> [SigningKey] {
        try await published([algorithm])
    }

    /// The published keys of these algorithms, in their order: first RSA keys, because some clients look at the first key only.
    package func published(_ algorithms: [SigningAlgorithm] = SigningAlgorithm.allCases) async throws -> [SigningKey] {
        Self.published(algorithms, of: try await entries(), at: now())
    }

    /// The same, without waiting for the database.
    /// - Returns: nil if they have to be read again.
    package func publishedAtHand(_ algorithms: [SigningAlgorithm]) -> [SigningKey]? {
        let now = now()
        let entries = known.withLock { $0.isFresh(at: now) ? $0.keys : nil }
        return entries.map { Self.published(algorithms, of: $0, at: now) }
    }

    private static func published(_ algorithms: [SigningAlgorithm], of entries: [Entry], at now: Date) -> [SigningKey] {
        algorithms.flatMap { algorithm in
            let entries = entries.filter { $0.key.algorithm == algorithm }
            return entries.indices.filter { index in
                // A key is out of use when its successor began long enough ago.
                guard entries.indices.contains(index + 1) else { return true }
                return isPublished(until: entries[index + 1].signsFrom, at: now)
            }.map { entries[$0].key }
        }
    }

    /// Whether a key whose successor began at `start` is still accepted.
    static func isPublished(until start: Date, at now: Date) -> Bool {
        start.addingTimeInterval(retention) > now
    }
}
