import HTTPTypes

extension HTTPFields {
    /// The value of the cookie with exactly this name; nil if there is none, or more than one.
    ///
    /// Names are compared byte by byte, and only spaces and tabs are trimmed. If more were trimmed, or if names were
    /// compared as characters, a cookie that a neighbouring host has set under a similar name could be taken for ours.
    /// Of two cookies with the same name it is unknown which one is ours.
    func cookie(_ name: String) -> String? {
        let found = self[values: .cookie].flatMap { header in
            header.utf8.split(separator: UInt8(ascii: ";")).compactMap { cookie -> String? in
                let trimmed = cookie.drop(while: Self.isBlank)
                guard let equals = trimmed.firstIndex(of: UInt8(ascii: "=")),
                    trimmed[..<equals].elementsEqual(name.utf8)
                else { return nil }
                let value = trimmed[trimmed.index(after: equals)...]
                let end = value.lastIndex { !Self.isBlank($0) }.map(value.index(after:)) ?? value.startIndex
                return String(decoding: value[..<end], as: UTF8.self)
            }
        }
        return found.count == 1 ? found[0] : nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
