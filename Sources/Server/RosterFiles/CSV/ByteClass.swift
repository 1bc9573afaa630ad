/// What a byte means to the CSV reader: a table of 256 entries makes the scan of a value one comparison a byte.
enum ByteClass: UInt8 {
    case ordinary = 0
    case separator, quote, backslash, lineFeed, carriageReturn, control, nonASCII

    /// - Parameter separator: nil for the inside of quotes, where a separator is an ordinary byte.
    /// - Returns: 256 entries, to be deallocated by the caller.
    static func table(separator: UInt8?) -> UnsafeMutablePointer<ByteClass> {
        let table = UnsafeMutablePointer<ByteClass>.allocate(capacity: 256)
        table.initialize(repeating: .ordinary, count: 256)
        for byte in 0x00...0x1F { table[byte] = .control }
        table[0x7F] = .control
        for byte in 0x80...0xFF { table[byte] = .nonASCII }
        table[Int(UInt8.tab)] = .ordinary
        table[Int(UInt8.lineFeed)] = .lineFeed
        table[Int(UInt8.carriageReturn)] = .carriageReturn
        table[Int(UInt8.quote)] = .quote
        table[Int(UInt8.backslash)] = .backslash
        if let separator { table[Int(separator)] = .separator }
        return table
    }
}

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")
    static let semicolon = UInt8(ascii: ";")
    static let backslash = UInt8(ascii: "\\")

    var isBlank: Bool { self == .space || self == .tab }

    /// Whether the byte does not count at either end of a value.
    var isPadding: Bool { isBlank || self == .lineFeed || self == .carriageReturn }

    /// Whether a backslash before this byte is an escape, and not a character of its own.
    var isMadeLiteral: Bool {
        self == .quote || self == .backslash || self == .lineFeed || self == .carriageReturn
    }
}
