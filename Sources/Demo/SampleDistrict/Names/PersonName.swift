/// One part of a name: as it is written, and in the ASCII letters of an email address.
struct PersonName: Sendable {
    let written: [UInt8]
    let latin: [UInt8]

    /// - Parameter latin: Lower-case ASCII letters; by default those of `written`, without anything else.
    init(_ written: some StringProtocol, latin: (some StringProtocol)? = String?.none) {
        self.written = Array(written.utf8)
        self.latin =
            if let latin {
                Array(latin.utf8)
            } else {
                written.lowercased().utf8.filter { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
            }
    }

    var text: String {
        String(decoding: written, as: UTF8.self)
    }
}
