enum UTF8Validation {
    /// Whether `bytes` are well-formed UTF-8. The Unicode Standard, table 3-7.
    static func isWellFormed(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            let lead = bytes[index]
            index += 1
            if lead < 0x80 { continue }
            let trailing: Int
            var second: ClosedRange<UInt8> = 0x80...0xBF
            switch lead {
            case 0xC2...0xDF: trailing = 1
            case 0xE0: (trailing, second) = (2, 0xA0...0xBF)
            case 0xED: (trailing, second) = (2, 0x80...0x9F)  // no surrogates
            case 0xE1...0xEF: trailing = 2
            case 0xF0: (trailing, second) = (3, 0x90...0xBF)
            case 0xF1...0xF3: trailing = 3
            case 0xF4: (trailing, second) = (3, 0x80...0x8F)  // U+10FFFF is the last
            default: return false
            }
            guard index + trailing <= bytes.count, second.contains(bytes[index]) else { return false }
            for offset in 1..<trailing where bytes[index + offset] & 0xC0 != 0x80 { return false }
            index += trailing
        }
        return true
    }
}
