import Foundation

/// The parts of an http or https URL that decide about single sign-on, in the one form in which they are compared.
///
/// Scheme and host are lower case, the host of another script is its A-label, without a root dot; user-info, query and
/// fragment are left out; dot segments are resolved; the path's escapes and capitals stay as they are.
/// extensible-sso.md section 1.3.
struct WebURL: Hashable, Sendable {
    /// Scheme, host and port, such as `https://id.acme.test`; the port only if it is not the scheme's own.
    let origin: Substring
    /// Begins with a slash.
    let path: Substring
    let hostRange: Range<String.Index>

    var host: Substring { origin[hostRange] }

    enum Problem: Error, Equatable {
        case notWeb
        case noHost
        case malformed
    }

    init(_ text: String) throws(Problem) {
        let parts = try WebURLParts(text)
        if parts.isPlain {
            origin = text[text.startIndex..<parts.hostAndPort.upperBound]
            path = parts.path.isEmpty ? "/" : text[parts.path]
            hostRange = parts.host
        } else {
            var origin = text[parts.scheme].lowercased() + "://"
            let start = origin.endIndex
            origin += try Self.canonicalHost(text[parts.host])
            hostRange = start..<origin.endIndex
            if let port = try parts.otherPort(in: text) { origin += ":\(port)" }
            self.origin = Substring(origin)
            path = Substring(Self.resolvingDotSegments(text[parts.path]))
        }
    }

    /// Lower case, without a root dot, in ASCII. An address of IPv6 keeps its brackets.
    static func canonicalHost(_ text: Substring) throws(Problem) -> String {
        var host = String(text)
        if !host.utf8.allSatisfy({ $0 < 0x80 }) {
            // The escapes of a host that are none in a URL's text are not looked at: browsers send none.
            guard let ascii = URLComponents(string: "https://\(host)/")?.encodedHost,
                ascii.utf8.allSatisfy({ $0 < 0x80 })
            else { throw .malformed }
            host = ascii
        }
        if host.hasSuffix(".") { host.removeLast() }
        guard !host.isEmpty, !host.hasPrefix("."), !host.utf8.contains(UInt8(ascii: "%")) else { throw .noHost }
        return host.lowercased()
    }

    /// RFC 3986 section 5.2.4; `%2e` is a dot, as browsers read it.
    private static func resolvingDotSegments(_ path: Substring) -> String {
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

/// Where the parts stand in a URL's text.
struct WebURLParts {
    let scheme: Range<String.Index>
    let host: Range<String.Index>
    let hostAndPort: Range<String.Index>
    let path: Range<String.Index>
    let hasUserInfo: Bool
    let hasQuery: Bool
    let hasFragment: Bool
    /// Whether the text already is in the form that is compared.
    let isPlain: Bool

    init(_ text: String) throws(WebURL.Problem) {
        let bytes = text.utf8
        guard let schemeEnd = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .notWeb }
        scheme = text.startIndex..<schemeEnd
        var isPlain = true
        switch text[scheme] {
        case "http", "https": break
        case let other where ["http", "https"].contains(other.lowercased()): isPlain = false
        default: throw .notWeb
        }
        guard bytes[schemeEnd...].starts(with: "://".utf8) else { throw .malformed }
        var start = bytes.index(schemeEnd, offsetBy: 3)

        // The authority ends where the path begins, or the query, or the fragment.
        var index = start
        var userInfoEnd: String.Index?
        var colon: String.Index?
        var isBracketed = false
        authority: while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break authority
            case UInt8(ascii: "@"):
                userInfoEnd = index
                colon = nil
            case UInt8(ascii: "["): isBracketed = true
            case UInt8(ascii: "]"): isBracketed = false
            case UInt8(ascii: ":") where !isBracketed: colon = colon ?? index
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80..., UInt8(ascii: "%"): isPlain = false
            // Browsers take a backslash for a slash, others for a part of the host.
            case 0...0x20, 0x7F, UInt8(ascii: "\\"): throw .malformed
            default: break
            }
            index = bytes.index(after: index)
        }
        let authorityEnd = index
        hasUserInfo = userInfoEnd != nil
        if let userInfoEnd {
            start = bytes.index(after: userInfoEnd)
            isPlain = false
        }
        let hostEnd = colon ?? authorityEnd
        host = start..<hostEnd
        hostAndPort = start..<authorityEnd
        guard start < hostEnd else { throw .noHost }
        if colon != nil || bytes[bytes.index(before: hostEnd)] == UInt8(ascii: ".") { isPlain = false }

        let pathStart = authorityEnd
        var segmentStart = true
        path: while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "?"), UInt8(ascii: "#"): break path
            case UInt8(ascii: "/"): segmentStart = true
            case UInt8(ascii: "."), UInt8(ascii: "%"):
                // It may be a dot segment; the slow way finds out.
                if segmentStart { isPlain = false }
                segmentStart = false
            case 0...0x20, 0x7F, UInt8(ascii: "\\"): throw .malformed
            default: segmentStart = false
            }
            index = bytes.index(after: index)
        }
        path = pathStart..<index
        hasQuery = index < bytes.endIndex && bytes[index] == UInt8(ascii: "?")
        hasFragment = bytes[index...].contains(UInt8(ascii: "#"))
        self.isPlain = isPlain
    }

    /// The port, unless it is the scheme's own.
    func otherPort(in text: String) throws(WebURL.Problem) -> Int? {
        guard host.upperBound < hostAndPort.upperBound else { return nil }
        let digits = text[text.index(after: host.upperBound)..<hostAndPort.upperBound]
        if digits.isEmpty { return nil }
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = Int(digits), (1...65_535).contains(port)
        else { throw .malformed }
        return port == (text[scheme].lowercased() == "https" ? 443 : 80) ? nil : port
    }
}
