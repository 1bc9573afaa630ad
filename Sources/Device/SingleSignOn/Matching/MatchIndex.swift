import Ground
import SingleSignOnWire

/// Decides which extension answers for a URL, or for the host of a challenge: finds the payload that covers it among
/// those of all installed profiles.
///
/// The index is built anew when profiles change. A look-up takes one hash look-up for the origin, and one for each path
/// segment on the way to a longer prefix. docs/specifications/extensible-single-sign-on.md, 2 and 3.
public struct MatchIndex: Sendable {
    /// How paths are compared. Apple documents its own comparison only as a prefix.
    public enum PathMatching: Sendable {
        /// `/realms/acme` covers `/realms/acme/x`, and not `/realms/acme-test`.
        case segment
        /// A plain string prefix, for comparison with Apple's behaviour only.
        case string
    }

    /// A payload and its entry that matches.
    public struct Match<Entry: Sendable>: Sendable {
        fileprivate let entries: [(payload: SingleSignOnPayload, entry: Entry)]
        fileprivate let place: Int

        public var payload: SingleSignOnPayload { entries[place].payload }
        public var entry: Entry { entries[place].entry }
    }

    private let pathMatching: PathMatching
    private let prefixes: [(payload: SingleSignOnPayload, entry: URLPrefix)]
    private let table: PrefixTable
    private let patterns: [(payload: SingleSignOnPayload, entry: HostPattern)]
    private let exactHosts: [String: Int]
    /// Indexes of payloads by the suffix without its leading dot.
    private let hostSuffixes: [Substring: Int]
    private let realms: [String: SingleSignOnPayload]
    /// Indexes of prefixes by origin.
    private let places: [WebOrigin: [Int]]
    /// Indexes of the first prefix of each redirect payload, by the payload's issuer.
    private let issuers: [String: [Int]]

    /// - Parameter payloads: of all installed profiles, in the order of precedence: if two claim the same URL or host,
    ///   the first one has it (docs/specifications/extensible-single-sign-on.md, 4.2).
    public init(_ payloads: [SingleSignOnPayload], pathMatching: PathMatching = .segment) {
        self.pathMatching = pathMatching
        let prefixes = payloads.flatMap { payload in payload.urls.map { (payload: payload, entry: $0) } }
        self.prefixes = prefixes
        table = PrefixTable(prefixes.map(\.entry.url))
        patterns = payloads.flatMap { payload in payload.hosts.map { (payload, $0) } }
        let hosts = patterns.map(\.entry).enumerated()
        exactHosts = Dictionary(hosts.filter { !$1.isSuffix }.map { ($1.canonical, $0) }) { first, _ in first }
        hostSuffixes = Dictionary(hosts.filter { $1.isSuffix }.map { ($1.canonical.dropFirst(), $0) }) { first, _ in
            first
        }
        realms = Dictionary(payloads.compactMap { payload in payload.realm.map { ($0, payload) } }) { first, _ in first
        }
        places = Dictionary(grouping: prefixes.indices) { prefixes[$0].entry.url.origin }
        var issuers: [String: [Int]] = [:]
        var known: Set<String> = []
        for (place, prefix) in prefixes.enumerated() where known.insert(prefix.payload.uuid).inserted {
            if let issuer = prefix.payload.issuer { issuers[issuer, default: []].append(place) }
        }
        self.issuers = issuers
    }

    /// The redirect payload for a request, by the longest prefix; nil if none covers it, or it is not a web URL.
    public func redirect(for url: String) -> Match<URLPrefix>? {
        var url = url
        let found = url.withUTF8 { bytes -> Int? in
            guard let parts = try? WebURLParts(bytes) else { return nil }
            guard parts.isPlain, pathMatching == .segment else {
                return (try? WebURL(String(decoding: bytes, as: UTF8.self))).flatMap { place(of: $0) }
            }
            return table.longest(
                UnsafeBufferPointer(rebasing: bytes[..<parts.path.upperBound]), pathAt: parts.path.lowerBound)
        }
        return found.map { Match(entries: prefixes, place: $0) }
    }

    func redirect(for url: WebURL) -> Match<URLPrefix>? {
        place(of: url).map { Match(entries: prefixes, place: $0) }
    }

    private func place(of url: WebURL) -> Int? {
        switch pathMatching {
        case .segment:
            var text = url.text
            let border = text.utf8.count - url.path.utf8.count
            return text.withUTF8 { table.longest($0, pathAt: border) }
        case .string:
            return prefixes.indices.filter {
                let prefix = prefixes[$0].entry.url
                return prefix.origin == url.origin && url.path.utf8.starts(with: prefix.path.utf8)
            }.max { prefixes[$0].entry.url.path.utf8.count < prefixes[$1].entry.url.path.utf8.count }
        }
    }

    /// The redirect payload of an identity provider that an app names by a URL outside all prefixes: the payload's
    /// `issuer` in `ExtensionData`, or a URL above everything that one payload covers, such as the provider's origin.
    ///
    /// Only for operations of apps: a web request to such a URL is not a sign-in.
    /// - Returns: nil if there is none, or if there are several.
    public func provider(for url: String) -> Match<URLPrefix>? {
        (try? WebURL(url)).flatMap { provider(for: $0) }
    }

    func provider(for url: WebURL) -> Match<URLPrefix>? {
        let named = issuers[Self.withoutSlash(url.text)] ?? []
        let below = (places[url.origin] ?? []).filter { prefixes[$0].entry.url.isBelow(url) }
        for found in [named, below] where !found.isEmpty {
            guard Set(found.map { prefixes[$0].payload.uuid }).count == 1 else { return nil }
            return Match(entries: prefixes, place: found[0])
        }
        return nil
    }

    fileprivate static func withoutSlash(_ text: String) -> String {
        text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// The credential payload for the host of a challenge: the exact name before a suffix, and the longest suffix.
    public func credential(forHost host: String) -> Match<HostPattern>? {
        guard let name = (try? WebOrigin.canonicalHost(host))?.withoutBrackets else { return nil }
        if let place = exactHosts[name] { return Match(entries: patterns, place: place) }
        guard !Self.isAddress(name) else { return nil }
        var rest = name[...]
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            if let place = hostSuffixes[rest] { return Match(entries: patterns, place: place) }
        }
        return nil
    }

    /// The credential payload of a realm, compared case-sensitively.
    public func credential(forRealm realm: String) -> SingleSignOnPayload? { realms[realm] }

    /// An address has a colon (IPv6) or a number as its last label (IPv4); a name has neither.
    private static func isAddress(_ host: String) -> Bool {
        host.utf8.contains(UInt8(ascii: ":"))
            || host.split(separator: ".").last?.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                == true
    }

    /// All prefixes of an origin, to explain why none matches.
    func prefixes(of origin: WebOrigin) -> [URLPrefix] {
        (places[origin] ?? []).map { prefixes[$0].entry }
    }
}

extension WebURL {
    /// Whether the path of `other` is a parent of this one, by whole segments.
    fileprivate func isBelow(_ other: WebURL) -> Bool {
        let folder = other.path.hasSuffix("/") ? other.path : other.path + "/"
        return origin == other.origin && path.utf8.starts(with: folder.utf8)
    }
}

extension SingleSignOnPayload {
    /// The payload's issuer in the form that is compared.
    fileprivate var issuer: String? {
        guard case .string(let text)? = extensionData["issuer"], let url = try? WebURL(text) else { return nil }
        return MatchIndex.withoutSlash(url.text)
    }
}
