extension String {
    /// A name for a file, which leads nowhere else and differs for different texts: everything but letters, digits, `-`,
    /// `_` and dots inside is written as its code, such as `%2f`. It may be longer than a file system takes.
    package var fileName: String {
        // No other text becomes this: a code has two digits.
        guard !isEmpty else { return "%" }
        var name = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: ".") where !name.isEmpty: name += "."
            default: name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return name
    }

    /// The folder above, without links resolved; nil for the root itself.
    package var parentFolder: String? {
        var path = self[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard path != "/" else { return nil }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
