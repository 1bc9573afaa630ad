extension UInt8 {
    /// - Parameter digit: ASCII, in upper or lower case.
    /// - Returns: nil if it is not a hexadecimal digit.
    init?(hexadecimalDigit digit: UInt8) {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self = digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self = digit - UInt8(ascii: "A") + 10
        default: return nil
        }
    }
}

extension [UInt8] {
    /// - Parameter digits: ASCII, two for each byte, in upper or lower case.
    /// - Returns: nil if their number is odd, or one is not a hexadecimal digit.
    package init?(hexadecimal digits: some Collection<UInt8>) {
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = UInt8(hexadecimalDigit: digit) else { return nil }
            if let first = high {
                append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
    }

    /// Two lower-case hexadecimal digits for each byte.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 2 * count) { text in
            for index in 0..<count {
                text[2 * index] = Self.digit(self[index] >> 4)
                text[2 * index + 1] = Self.digit(self[index] & 15)
            }
            return 2 * count
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
