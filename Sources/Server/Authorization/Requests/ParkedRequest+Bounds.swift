import Directory
import Foundation
import Ground
import Storage

/// Anybody can send authorization requests, and each is kept for an hour. These bounds keep them from filling the disk.
/// The oldest are deleted first, which a person who is signing in notices only during a flood.
extension ParkedRequest {
    struct Bounds {
        /// Enough for the tabs in which one person signs in.
        var perBrowser = 20
        /// Enough for the pupils of a large school within an hour.
        var perAddress = 5_000
        var total = 50_000
    }

    /// Makes room for one more. Only every 64th request triggers the counts by address and in all, so there can be
    /// somewhat more than the bounds allow, and all that came in the same second as the last one that is kept.
    /// - Parameter token: the token of the new request, which decides whether it is a 64th.
    static func makeRoom(
        browser: String, address: AddressBlock?, with token: Secret, bounds: Bounds = Bounds(),
        in transaction: WriteTransaction
    ) throws {
        // Answered requests are deleted first, so that many silent requests within a second do not displace each other.
        let browserHash = SecretHash(of: browser)
        try transaction.execute(
            """
            DELETE FROM parked_request
            WHERE browser_hash = $1 AND token_hash NOT IN (
                SELECT token_hash FROM parked_request WHERE browser_hash = $1
                ORDER BY CASE WHEN answer IS NULL THEN 0 ELSE 1 END, expires_at DESC
                LIMIT $2
            )
            """,
            [browserHash, bounds.perBrowser - 1])
        // The first letter is one of the 64 of base64url.
        if token.text.utf8.first == UInt8(ascii: "A") { try trim(address: address, to: bounds, in: transaction) }
    }

    static func trim(address: AddressBlock?, to bounds: Bounds, in transaction: WriteTransaction) throws {
        if let address {
            try transaction.keepNewest(
                bounds.perAddress, of: "parked_request", where: "address_hash = $1", [address.hash])
        }
        try transaction.keepNewest(bounds.total, of: "parked_request")
    }
}

extension WriteTransaction {
    /// Deletes the rows of a table except for the `count` that expire last, and those that expire in the same second as
    /// the last of them.
    /// - Parameter count: 1 or more.
    package func keepNewest(
        _ count: Int, of table: String, where condition: String = "1 = 1", _ parameters: [any SQLConvertible] = []
    ) throws {
        try execute(
            """
            DELETE FROM \(table)
            WHERE \(condition) AND expires_at < (
                SELECT expires_at FROM \(table) WHERE \(condition)
                ORDER BY expires_at DESC LIMIT 1 OFFSET \(count - 1)
            )
            """,
            parameters)
    }
}
