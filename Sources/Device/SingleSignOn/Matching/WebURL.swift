import Foundation

/// The parts of an http or https URL that matter to single sign-on, in the form in which they are compared.
///
/// Scheme and host are in lower case, an internationalized host is its A-label, and a root dot is removed. User-info,
/// query and fragment are left out, and dot segments are resolved. Escapes and case of the path stay as they are.
/// docs/specifications/extensible-single-sign-on.md, 2.8.
struct WebURL: Hashable, Sendable {
    /// Scheme, host and port, such as `https://id.acme.test`; the port only if it is not the scheme's default.
    let origin: String
    let host: String
    /// Begins with a slash.
    let path: String

    enum Problem: Error, Equatable {
        case notWeb
        case noHost
        case malformed
    }

    init(_ text: String) throws(Problem) {
        var text = text
        let bytes = text.withUTF8 { Array($0) }
        let parts = try bytes.withUnsafeBufferPointer { bytes throws(Problem) in try WebURLParts(bytes) }
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let scheme = part(parts.scheme).lowercased()
        host = try Self.canonicalHost(part(parts.host))
        let port = try Self.port(part(parts.port))
        let isOwn = port == nil || port == (scheme == "https" ? 443 : 80)
        origin = "\(scheme)://\(host)" + (isOwn ? "" : ":\(port ?? 0)")
        path = Self.resolvingDotSegments(part(parts.path))
    }

    /// The host in lower-case ASCII without a root dot. An IPv6 address keeps its brackets.
    static func canonicalHost(_ text: String) throws(Problem) -> String {
        var host = text
        if !host.utf8.allSatisfy({ $0 < 0x80 }) {
            guard let ascii = URLComponents(string: "https://\(host)/")?.encodedHost,
                ascii.utf8.allSatisfy({ $0 < 0x80 })
            else { throw .malformed }
            host = ascii
        }
        if host.hasSuffix(".") { host.removeLast() }
        // Browsers send no percent-escapes in a host.
        guard !host.isEmpty, !host.hasPrefix("."), !host.utf8.contains(UInt8(ascii: "%")) else { throw .noHost }
        return host.lowercased()
    }

    /// nil if there is no port; `host:` counts as none.
    private static func port(_ digits: String) throws(Problem) -> Int? {
        if digits.isEmpty { return nil }
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = Int(digits), (1...65_535).contains(port)
        else { throw .malformed }
        return port
    }

    /// RFC 3986 §5.2.4. `%2e` counts as a dot, as in browsers.
    private static func resolvingDotSegments(_ path: String) -> String {
        guard !path.isEmpty else { return "/" }
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment.lowercased().replacing("%2e", with: ".") {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}

/// The ranges of the parts within the bytes of a URL.
struct WebURLParts {
    let scheme: Range<Int>
    let host: Range<Int>
    /// The port's digits after the colon; empty if there is none.
    let port: Range<Int>
    let path: Range<Int>
    let hasUserInfo: Bool
    let hasQuery: Bool
    let hasFragment: Bool
    /// Whether everything up to the end of the path is already in the form that is compared.
    let isPlain: Bool

    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(WebURL.Problem) {
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
                UInt8(ascii: "-"):
                break
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break authority
            case UInt8(ascii: "@"):
                userInfoEnd = index
                colon = nil
            case UInt8(ascii: "["): isBracketed = true
            case UInt8(ascii: "]"): isBracketed = false
            case UInt8(ascii: ":") where !isBracketed: colon = colon ?? index
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80..., UInt8(ascii: "%"): isPlain = false
            // Browsers treat a backslash as a slash, others as part of the host, so it is refused.
            case 0...0x20, 0x7F, UInt8(ascii: "\\"): throw .malformed
            default: break
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
                // It may be a dot segment, which the slow path resolves.
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

    /// Whether the bytes equal a word, ignoring case.
    private static func isEqual(_ bytes: UnsafeBufferPointer<UInt8>, to word: StaticString) -> Bool {
        for index in 0..<word.utf8CodeUnitCount {
            let byte = bytes[index]
            let lower = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            guard lower == word.utf8Start[index] else { return false }
        }
        return true
    }
}
