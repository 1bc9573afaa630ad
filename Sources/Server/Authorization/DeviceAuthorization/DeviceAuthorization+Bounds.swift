import Directory
import Ground
import Storage

/// Any program can request codes in the name of a public client. These bounds keep such requests from filling the disk.
/// The oldest waiting ones are deleted first; a person's decision is kept, so that the device gets its answer.
extension DeviceAuthorization {
    struct Bounds {
        /// Enough for the televisions of a large school, all at once.
        var perAddress = 500
        var perClient = 10_000
        var total = 20_000
    }

    /// Makes room for one more. Only every 64th device triggers the count, so there can be somewhat more than the
    /// bounds allow, and all that came in the same second as the last one that is kept.
    /// - Parameter code: the code of the new device, which decides whether it is a 64th.
    static func makeRoom(
        client: String, address: AddressBlock?, with code: Secret, in transaction: WriteTransaction
    ) throws {
        // The first letter is one of the 64 of base64url.
        guard code.text.utf8.first == UInt8(ascii: "A") else { return }
        try trim(client: client, address: address, to: Bounds(), in: transaction)
    }

    static func trim(
        client: String, address: AddressBlock?, to bounds: Bounds, in transaction: WriteTransaction
    ) throws {
        let (table, waits) = ("device_authorization", "answer IS NULL")
        if let address {
            try transaction.keepNewest(
                bounds.perAddress, of: table, where: "address_hash = $1 AND \(waits)", [address.hash])
        }
        try transaction.keepNewest(bounds.perClient, of: table, where: "client_id = $1 AND \(waits)", [client])
        try transaction.keepNewest(bounds.total, of: table, where: waits)
    }
}
