extension UInt8 {
    /// Whether it is the ASCII code of one of the digits 0 to 9. Digits of other scripts are none.
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
