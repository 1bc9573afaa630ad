import Directory
import Ground
import Storage

/// Any program can ask for codes in the name of a public client: these bounds keep them from filling the disk. The
/// oldest that still wait give way; a person's decision stays for the device to hear of it.
extension DeviceAuthorization {
    struct Bounds {
        /// The televisions of a large school, all at once.
        var perAddress = 500
        var perClient = 10_000
        var total = 20_000
    }

    /// Makes room for one more. The counts are looked at with every 64th device: until then some more may wait, and all
    /// that came in the same second as the last one that is kept.
    /// - Parameter code: of the device to come, which decides whether it is a 64th.
    static func makeRoom(
        client: String, address: AddressBlock?, with code: Secret, in transaction: WriteTransaction
    ) throws {
        // One of the 64 letters of base64url.
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
