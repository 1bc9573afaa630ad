/// Origin and path of a URL with http or https, normalized for comparison.
///
/// User information, query and fragment are left out; dot segments are resolved; escapes and case of the path stay as
/// they are. Foundation's parser is not used for two reasons: URLs that programs read differently must be refused,
/// because this decides where secrets may be sent; and the broker does this for every page that a browser opens, so it
/// has to be fast.
package struct WebURL: Hashable, Sendable {
    package let origin: WebOrigin
    /// Begins with a slash.
    package let path: String

    package enum Problem: Error, Equatable {
        case notWeb
        case noHost
        case malformed
    }

    package init(_ text: String) throws(Problem) {
        var text = text
        let bytes = text.withUTF8 { Array($0) }
        let parts = try bytes.withUnsafeBufferPointer { bytes throws(Problem) in try WebURLParts(bytes) }
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        origin = try WebOrigin(scheme: part(parts.scheme), host: part(parts.host), port: part(parts.port))
        path = Self.resolvingDotSegments(part(parts.path))
    }

    /// Origin and path.
    package var text: String { origin.description + path }

    /// RFC 3986 §5.2.4; `%2e` counts as a dot, as in browsers.
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
