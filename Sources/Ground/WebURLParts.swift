/// The ranges of a URL's parts within its bytes.
package struct WebURLParts {
    package let scheme: Range<Int>
    package let host: Range<Int>
    /// Without the colon; empty if there is no port.
    package let port: Range<Int>
    package let path: Range<Int>
    package let hasUserInfo: Bool
    package let hasQuery: Bool
    package let hasFragment: Bool
    /// Whether everything up to the end of the path is already normalized as in ``WebURL``.
    package let isPlain: Bool

    package init(_ bytes: UnsafeBufferPointer<UInt8>) throws(WebURL.Problem) {
        let count = bytes.count
        var isPlain = true
        let schemeEnd: Int
        if count > 5, Self.isEqual(bytes, to: "https:") {
            schemeEnd = 5
        } else if count > 4, Self.isEqual(bytes, to: "http:") {
            schemeEnd = 4
        } else {
            throw .notWeb
        }
        scheme = 0..<schemeEnd
        for index in 0..<schemeEnd where bytes[index] < UInt8(ascii: "a") { isPlain = false }
        guard count >= schemeEnd + 3, bytes[schemeEnd + 1] == UInt8(ascii: "/"),
            bytes[schemeEnd + 2] == UInt8(ascii: "/")
        else { throw .malformed }

        // The authority ends at the path, the query or the fragment.
        var start = schemeEnd + 3
        var index = start
        var userInfoEnd: Int?
        var colon: Int?
        var isBracketed = false
        authority: while index < count {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                break
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break authority
            case UInt8(ascii: "@"):
                userInfoEnd = index
                colon = nil
                isBracketed = false
            case UInt8(ascii: "["):
                isBracketed = true
                isPlain = false
            case UInt8(ascii: "]"): isBracketed = false
            case UInt8(ascii: ":") where !isBracketed: colon = colon ?? index
            // Browsers read a backslash as a slash, other programs as part of the host.
            case 0...0x20, 0x7F, UInt8(ascii: "\\"): throw .malformed
            // `WebOrigin` checks whether a host may contain it.
            default: isPlain = false
            }
            index += 1
        }
        hasUserInfo = userInfoEnd != nil
        if let userInfoEnd {
            start = userInfoEnd + 1
            isPlain = false
        }
        let hostEnd = colon ?? index
        guard start < hostEnd else { throw .noHost }
        host = start..<hostEnd
        port = colon.map { $0 + 1..<index } ?? index..<index
        if colon != nil || bytes[hostEnd - 1] == UInt8(ascii: ".") || bytes[start] == UInt8(ascii: ".") {
            isPlain = false
        }

        let pathStart = index
        var isSegmentStart = true
        path: while index < count {
            switch bytes[index] {
            case UInt8(ascii: "/"): isSegmentStart = true
            case UInt8(ascii: "?"), UInt8(ascii: "#"): break path
            case UInt8(ascii: "."), UInt8(ascii: "%"):
                // It may begin a dot segment, which `WebURL` resolves.
                if isSegmentStart { isPlain = false }
                isSegmentStart = false
            case 0...0x20, 0x7F, UInt8(ascii: "\\"): throw .malformed
            default: isSegmentStart = false
            }
            index += 1
        }
        path = pathStart..<index
        hasQuery = index < count && bytes[index] == UInt8(ascii: "?")
        hasFragment = index < count && bytes[index...].contains(UInt8(ascii: "#"))
        self.isPlain = isPlain
    }

    /// Whether the bytes begin with `word`, which is in lower case, ignoring case.
    private static func isEqual(_ bytes: UnsafeBufferPointer<UInt8>, to word: StaticString) -> Bool {
        for index in 0..<word.utf8CodeUnitCount {
            let byte = bytes[index]
            let lower = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            guard lower == word.utf8Start[index] else { return false }
        }
        return true
    }
}
