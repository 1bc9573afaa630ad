/// A file that pages refer to. Its address changes with its content, so it may be cached for ever.
package struct Asset: Sendable {
    /// For example "/assets/lanyard-0f3a9c5d7e112b48.css".
    package let path: String
    package let contentType: String
    package let bytes: [UInt8]

    static func styleSheet(_ text: [UInt8]) -> Asset {
        Asset(lines: text, fileExtension: "css", contentType: "text/css; charset=utf-8")
    }

    static func script(_ text: [UInt8]) -> Asset {
        Asset(lines: text, fileExtension: "js", contentType: "text/javascript; charset=utf-8")
    }

    /// Lines are sent without their indentation: browsers do not need it.
    private init(lines bytes: [UInt8], fileExtension: String, contentType: String) {
        var isIndentation = true
        self.init(
            fileExtension: fileExtension, contentType: contentType,
            bytes: bytes.filter { byte in
                if isIndentation, byte == UInt8(ascii: " ") { return false }
                isIndentation = byte == UInt8(ascii: "\n")
                return true
            })
    }

    package init(fileExtension: String, contentType: String, bytes: [UInt8]) {
        let hash = String(Hash.fnv1a(bytes), radix: 16)
        let padded = String(repeating: "0", count: 16 - hash.count) + hash
        self.path = "/assets/lanyard-\(padded).\(fileExtension)"
        self.contentType = contentType
        self.bytes = bytes
    }
}

/// A hash that is the same in every process, for file names and colours. Not for security.
enum Hash {
    /// FNV-1a with 64 bits.
    static func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
