import Authorization
import Directory
import Foundation
import Ground
import Storage

/// How many codes may be asked for: by email address, so that nobody's mailbox is filled, and by network address, so
/// that nobody fills many.
///
/// A school stands behind one network address, which therefore may ask for many. Who is behind an email address does
/// not matter: one that has no account is counted as one that has. Only browsers in which its owner has signed in before
/// are counted apart: a stranger who asks for codes all day keeps nobody from a new password.
enum CodeAllowance {
    /// So many within so many seconds.
    struct Limit {
        let count: Int
        let window: TimeInterval
    }

    static let byEmail = [Limit(count: 5, window: 3_600), Limit(count: 15, window: 86_400)]
    static let byAddress = [Limit(count: 60, window: 3_600), Limit(count: 300, window: 86_400)]
    /// From everywhere together: beyond that the table would grow without end.
    static let everywhere = Limit(count: 50_000, window: 86_400)

    /// Notes a request for a code.
    /// - Parameters:
    ///   - email: in any case.
    ///   - browser: the secret of ``KnownBrowser`` that the browser has, if any.
    ///   - address: the network address; nil if it is unknown.
    /// - Returns: when to ask again, if there were too many; nothing is noted then.
    static func take(
        email: String, browser: String?, address: AddressBlock?, at now: Date, in transaction: WriteTransaction
    ) throws -> Date? {
        try deleteOld(at: now, in: transaction)
        let email = email.lowercased()
        let owner = try Person.find(userName: email, in: transaction)?.id
        let isKnown = try owner.map { try KnownBrowser.isKnown(browser, to: $0, at: now, in: transaction) } ?? false
        // No address begins with a space.
        let (mailbox, address) = (SecretHash(of: (isKnown ? " " : "") + email), address?.hash)
        var waits = try byEmail.map { try end(of: $0, "email_hash = $1", [mailbox], at: now, in: transaction) }
        if let address {
            waits += try byAddress.map { try end(of: $0, "address_hash = $1", [address], at: now, in: transaction) }
        }
        waits.append(try end(of: everywhere, "$1 = 0", [0], at: now, in: transaction))
        if let wait = waits.compactMap({ $0 }).max() { return wait }
        try transaction.execute(
            "INSERT INTO code_request (email_hash, address_hash, requested_at) VALUES ($1, $2, $3)",
            [mailbox, address, now])
        return nil
    }

    /// When the next one may come; nil: now.
    private static func end(
        of limit: Limit, _ condition: String, _ parameters: [any SQLConvertible], at now: Date,
        in transaction: some Transaction
    ) throws -> Date? {
        try transaction.first(
            """
            SELECT requested_at FROM code_request
            WHERE \(condition) AND requested_at > $2 AND requested_at <= $4  -- later: of a clock that was wrong
            ORDER BY requested_at DESC
            LIMIT 1 OFFSET $3
            """,
            parameters + [now.addingTimeInterval(-limit.window), limit.count - 1, now]
        ) { (try $0[0] as Date).addingTimeInterval(limit.window) }
    }

    static func hasOld(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM code_request WHERE requested_at <= $1", [now.addingTimeInterval(-everywhere.window)])
    }

    static func deleteOld(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "DELETE FROM code_request WHERE requested_at <= $1", [now.addingTimeInterval(-everywhere.window)])
    }
}
