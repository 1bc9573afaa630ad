/// Encrypts secrets that have to be read again, under the server's master key, which this room does not know.
package struct Sealing: Sendable {
    /// `purpose` is part of what is authenticated, so that one sealed value cannot replace another.
    let seal: @Sendable (_ bytes: [UInt8], _ purpose: String) throws -> [UInt8]
    /// Throws if the bytes were sealed under another key or for another purpose.
    let open: @Sendable (_ sealed: [UInt8], _ purpose: String) throws -> [UInt8]

    package init(
        seal: @escaping @Sendable (_ bytes: [UInt8], _ purpose: String) throws -> [UInt8],
        open: @escaping @Sendable (_ sealed: [UInt8], _ purpose: String) throws -> [UInt8]
    ) {
        self.seal = seal
        self.open = open
    }
}
