import Directory
import Foundation
import Ground
import Storage

/// Anybody can bring authorization requests, signed in or not, and each waits for an hour: these bounds keep them from
/// filling the disk. The oldest give way, which a person who is on the way notices only in the middle of a flood.
extension ParkedRequest {
    struct Bounds {
        /// Tabs in which one person is on the way.
        var perBrowser = 20
        /// The pupils of a large school within an hour.
        var perAddress = 5_000
        var total = 50_000
    }

    /// Makes room for one more. The counts by address and in all are looked at with every 64th request: until then some
    /// more may wait, and all that came in the same second as the last one that is kept.
    /// - Parameter token: of the request to come, which decides whether it is a 64th.
    static func makeRoom(
        browser: String, address: AddressBlock?, with token: Secret, bounds: Bounds = Bounds(),
        in transaction: WriteTransaction
    ) throws {
        // What was answered gives way first: many silent requests within a second must not take each other's place.
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
        // One of the 64 letters of base64url.
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
    /// Deletes the rows of a table but for so many that expire last, and those that expire in the same second as the last
    /// of them.
    /// - Parameter count: 1 or more.
    func keepNewest(
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
