import Authorization
import Directory
import Foundation
import Ground
import Storage

/// How many codes may be requested: per email address, so that no mailbox is flooded, and per network address, so that
/// one sender cannot flood many mailboxes.
///
/// The limit per network address is high, because a whole school stands behind one. Addresses without an account are
/// counted like those with one, so the limit does not tell which is which. Only browsers in which the owner has signed
/// in before are counted separately: a stranger who requests codes all day must not keep the owner from a new password.
enum CodeAllowance {
    /// `count` requests within `window` seconds.
    struct Limit {
        let count: Int
        let window: TimeInterval
    }

    static let byEmail = [Limit(count: 5, window: 3_600), Limit(count: 15, window: 86_400)]
    static let byAddress = [Limit(count: 60, window: 3_600), Limit(count: 300, window: 86_400)]
    /// The limit for all requests together; it bounds the size of the table.
    static let everywhere = Limit(count: 50_000, window: 86_400)

    /// Notes a request for a code.
    /// - Parameters:
    ///   - email: in any case.
    ///   - browser: the secret of ``KnownBrowser`` that the browser has, if any.
    ///   - address: the network address; nil if it is unknown.
    /// - Returns: when the next request is allowed, if there were too many; the request is not noted then. Otherwise
    ///   nil.
    static func take(
        email: String, browser: String?, address: AddressBlock?, at now: Date, in transaction: WriteTransaction
    ) throws -> Date? {
        try deleteOld(at: now, in: transaction)
        let email = email.lowercased()
        let owner = try Person.find(userName: email, in: transaction)?.id
        let isKnown = try owner.map { try KnownBrowser.isKnown(browser, to: $0, at: now, in: transaction) } ?? false
        // A known browser is counted under its own key: no email address begins with a space.
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

    /// When the next request is allowed; nil if it is allowed now.
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
