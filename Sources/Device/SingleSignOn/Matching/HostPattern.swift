import Ground

/// An entry of a credential payload's `Hosts`: a whole host name, or with a dot in front all names below it.
///
/// extensible-sso.md section 1.4, H1 to H9.
public struct HostPattern: Hashable, Sendable, CustomStringConvertible {
    /// Lower case, in ASCII, without a root dot; a suffix keeps its leading dot.
    public let canonical: String

    public var isSuffix: Bool { canonical.hasPrefix(".") }
    public var description: String { canonical }

    /// Why a text is no pattern. H7.
    public enum Problem: Error, Equatable {
        case empty, malformed, hasPort, hasScheme, hasPath, hasWildcard
    }

    public init(_ text: String) throws(Problem) {
        if text.contains("://") { throw .hasScheme }
        if text.contains("/") { throw .hasPath }
        if text.contains("*") { throw .hasWildcard }
        let name = text.hasPrefix(".") ? text.dropFirst() : text[...]
        guard !name.isEmpty, name != "." else { throw .empty }
        let isAddress = name.hasPrefix("[") || name.utf8.filter { $0 == UInt8(ascii: ":") }.count > 1
        if !isAddress, name.contains(":") { throw .hasPort }
        guard !name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || "@?#\\%".utf8.contains($0) }),
            let canonical = try? WebOrigin.canonicalHost(String(name)), !canonical.contains("..")
        else { throw .malformed }
        let bare = canonical.withoutBrackets
        self.canonical = text.hasPrefix(".") ? ".\(bare)" : bare
    }
}

extension String {
    /// An address of IPv6 as it stands outside of URLs.
    var withoutBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
