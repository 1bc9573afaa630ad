import Foundation

/// A PNG file (ISO/IEC 15948) of one colour, written without a library and without compression.
package struct SamplePNG {
    package let file: Data

    /// - Parameters:
    ///   - colour: red, green, blue and how opaque, each from 0 to 255.
    ///   - said: the width that the file says, if it lies.
    package init(_ width: Int, _ height: Int, colour: [UInt8] = [0x3a, 0x5a, 0xa6, 0xff], said: Int? = nil) {
        var dots: [UInt8] = []
        for _ in 0..<height {
            dots.append(0)  // no filter
            for _ in 0..<width { dots += colour }
        }
        var file = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        file += Self.chunk("IHDR", Self.bytes(said ?? width) + Self.bytes(height) + [8, 6, 0, 0, 0])
        file += Self.chunk("IDAT", Self.zlib(dots))
        file += Self.chunk("IEND", [])
        self.file = file
    }

    private static func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xff) } }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let typed = Array(type.utf8) + content
        return bytes(content.count) + typed + bytes(Int(crc(typed)))
    }

    /// Stored blocks. RFC 1950, RFC 1951 §3.2.4.
    private static func zlib(_ content: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        var rest = content[...]
        while !rest.isEmpty {
            let block = rest.prefix(0xffff)
            rest = rest.dropFirst(block.count)
            let (low, high) = (UInt8(block.count & 0xff), UInt8(block.count >> 8))
            result += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
        }
        var (a, b) = (1, 0)
        for byte in content { (a, b) = ((a + Int(byte)) % 65_521, (b + a + Int(byte)) % 65_521) }
        return result + bytes(b << 16 | a)
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
