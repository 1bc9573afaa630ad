/// Builds ZIP archives byte by byte, hostile ones too. PKWARE APPNOTE 6.3, sections 4.3.7 to 4.3.16.
struct ZipBytes {
    private(set) var local: [UInt8] = []
    private var directory: [UInt8] = []
    private var count = 0

    /// - Parameters:
    ///   - mode: Unix file type and permissions.
    ///   - claimedSize: what the headers say, if not the truth.
    mutating func add(
        _ name: String, _ content: [UInt8], mode: UInt32 = 0o100644, isEncrypted: Bool = false,
        claimedSize: Int? = nil, checksum: UInt32? = nil, stored: [UInt8]? = nil
    ) {
        let offset = local.count
        let compressed = stored ?? content
        var common: [UInt8] = []
        common += little(20, 2) + little(isEncrypted ? 1 : 0, 2)
        common += little(stored == nil ? 0 : 8, 2)  // stored or deflated
        common += little(0, 4)  // time
        common += little(Int(checksum ?? Self.crc32(content)), 4)
        common += little(compressed.count, 4) + little(claimedSize ?? content.count, 4)
        common += little(name.utf8.count, 2) + little(0, 2)
        local += little(0x0403_4B50, 4) + common + Array(name.utf8) + compressed
        directory += little(0x0201_4B50, 4) + little(0x0314, 2) + common  // made on Unix
        directory += little(0, 2) + little(0, 2) + little(0, 2) + little(Int(mode) << 16, 4) + little(offset, 4)
        directory += Array(name.utf8)
        count += 1
    }

    var bytes: [UInt8] {
        local + directory + little(0x0605_4B50, 4) + little(0, 4) + little(count, 2) + little(count, 2)
            + little(directory.count, 4) + little(local.count, 4) + little(0, 2)
    }

    private func little(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
    }
}
