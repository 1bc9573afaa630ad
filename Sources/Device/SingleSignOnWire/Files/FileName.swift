extension String {
    /// A safe file name for the text, different for different texts: everything but letters, digits, `-`, `_` and inner
    /// dots is escaped, such as `%2f`. It may be longer than a file system allows.
    package var fileName: String {
        // No other text gives this name, since escapes have two digits.
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

    /// The parent folder, without resolving links; nil for the root.
    package var parentFolder: String? {
        var path = self[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard path != "/" else { return nil }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
