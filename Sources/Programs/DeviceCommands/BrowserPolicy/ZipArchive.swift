import BrowserExtension

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An uncompressed ZIP archive in memory. The same files always give the same bytes.
///
/// The format is defined in PKWARE's APPNOTE.TXT 6.3: section 4.3.7 for the header before each file, 4.3.12 for its
/// directory entry, 4.3.16 for the end. It is implemented here so that devices do not need libarchive for one small
/// archive.
enum ZipArchive {
    /// - Parameter files: with distinct ASCII paths, together below 4 GiB.
    static func data(of files: [BrowserExtension.File]) -> Data {
        var archive = ZipBytes()
        var directory = ZipBytes()
        for file in files {
            let offset = UInt32(archive.bytes.count)
            var entry = ZipBytes()
            entry.append(10 as UInt16)  // version needed to read it: 1.0
            entry.append(0 as UInt16)  // flags
            entry.append(0 as UInt16)  // stored, not compressed
            entry.append(0 as UInt16)  // time: midnight
            entry.append(33 as UInt16)  // date: 1 January 1980, the earliest of the format
            entry.append(CyclicRedundancyCheck.of(file.content))
            entry.append(UInt32(file.content.count))
            entry.append(UInt32(file.content.count))
            entry.append(UInt16(file.path.utf8.count))
            entry.append(0 as UInt16)  // no extra field

            archive.append(0x0403_4b50 as UInt32)
            archive.append(entry)
            archive.append(Array(file.path.utf8))
            archive.append(file.content)

            directory.append(0x0201_4b50 as UInt32)
            directory.append(3 << 8 | 10 as UInt16)  // made on Unix, by version 1.0
            directory.append(entry)
            directory.append(0 as UInt16)  // no comment
            directory.append(0 as UInt16)  // on the first disk
            directory.append(0 as UInt16)  // not known to be text
            directory.append(0o100644 << 16 as UInt32)  // a file that everybody may read
            directory.append(offset)
            directory.append(Array(file.path.utf8))
        }
        let start = UInt32(archive.bytes.count)
        archive.append(directory)
        archive.append(0x0605_4b50 as UInt32)
        archive.append(0 as UInt16)  // number of this disk
        archive.append(0 as UInt16)  // number of the disk on which the directory begins
        archive.append(UInt16(files.count))
        archive.append(UInt16(files.count))
        archive.append(UInt32(directory.bytes.count))
        archive.append(start)
        archive.append(0 as UInt16)  // no comment
        return Data(archive.bytes)
    }
}

/// Appends numbers in little-endian byte order, as the format requires.
private struct ZipBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ more: [UInt8]) { bytes += more }
    mutating func append(_ other: ZipBytes) { bytes += other.bytes }
}

/// The CRC-32 of ISO 3309, by which readers of the archive detect damaged files.
enum CyclicRedundancyCheck {
    private static let table: [UInt32] = (0..<256).map { start in
        (0..<8).reduce(UInt32(start)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }

    static func of(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { value, byte in value >> 8 ^ table[Int((value ^ UInt32(byte)) & 0xFF)] }
    }
}
