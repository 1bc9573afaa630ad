/// Finds the payload that answers for a URL, or for the host of a challenge, among all that are installed.
///
/// Built once, when profiles change. A look-up costs one look at a table for the origin, and one for each segment of the
/// path that leads further. extensible-sso.md sections 1.3 and 1.4.
public struct MatchIndex: Sendable {
    /// How paths are compared. Apple's own comparison is called a prefix and not described further.
    public enum PathMatching: Sendable {
        /// `/realms/acme` covers `/realms/acme/x`, and not `/realms/acme-test`.
        case segment
        /// Letter by letter, for comparison only.
        case string
    }

    /// A payload and the entry of it that matches.
    public struct Match<Entry: Sendable>: Sendable {
        public let payload: SingleSignOnPayload
        public let entry: Entry
    }

    private let payloads: [SingleSignOnPayload]
    private let pathMatching: PathMatching
    private var origins: [Substring: PathNode] = [:]
    private var exactHosts: [Substring: (payload: Int, pattern: HostPattern)] = [:]
    /// By what stands behind the leading dot.
    private var hostSuffixes: [Substring: (payload: Int, pattern: HostPattern)] = [:]
    private var realms: [String: Int] = [:]

    /// - Parameter payloads: of all installed profiles, those that were installed earlier first: of two that claim the
    ///   same URL or host, the first has it (section 1.5).
    public init(_ payloads: [SingleSignOnPayload], pathMatching: PathMatching = .segment) {
        self.payloads = payloads
        self.pathMatching = pathMatching
        for (index, payload) in payloads.enumerated() {
            for prefix in payload.urls {
                origins[prefix.url.origin, default: PathNode()].insert(prefix, of: index)
            }
            for pattern in payload.hosts {
                if pattern.isSuffix {
                    let name = pattern.canonical.dropFirst()
                    hostSuffixes[name] = hostSuffixes[name] ?? (index, pattern)
                } else {
                    let name = pattern.canonical[...]
                    exactHosts[name] = exactHosts[name] ?? (index, pattern)
                }
            }
            if let realm = payload.realm { realms[realm] = realms[realm] ?? index }
        }
    }

    /// The redirect payload for a request, by the longest prefix; nil if none covers it, or the URL is none of the web.
    public func redirect(for url: String) -> Match<URLPrefix>? {
        guard let url = try? WebURL(url) else { return nil }
        return redirect(for: url)
    }

    func redirect(for url: WebURL) -> Match<URLPrefix>? {
        let found =
            switch pathMatching {
            case .segment: origins[url.origin]?.longest(for: url.path)
            case .string: origins[url.origin]?.longestString(for: url.path)
            }
        return found.map { Match(payload: payloads[$0.payload], entry: $0.prefix) }
    }

    /// The credential payload for the host of a challenge: an exact name before a suffix, a longer suffix before a
    /// shorter one.
    public func credential(forHost host: String) -> Match<HostPattern>? {
        guard let name = (try? WebURL.canonicalHost(host[...]))?.withoutBrackets else { return nil }
        if let found = exactHosts[name[...]] { return Match(payload: payloads[found.payload], entry: found.pattern) }
        guard !Self.isAddress(name) else { return nil }
        var rest = name[...]
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            if let found = hostSuffixes[rest] { return Match(payload: payloads[found.payload], entry: found.pattern) }
        }
        return nil
    }

    /// The credential payload of a realm, capitals and all.
    public func credential(forRealm realm: String) -> SingleSignOnPayload? {
        realms[realm].map { payloads[$0] }
    }

    /// A name has no colon, and its last label is no number.
    private static func isAddress(_ host: String) -> Bool {
        host.utf8.contains(UInt8(ascii: ":"))
            || host.split(separator: ".").last?.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                == true
    }

    /// All prefixes of an origin, for the explanation of why none matches.
    func prefixes(of origin: Substring) -> [URLPrefix] {
        origins[origin]?.prefixes ?? []
    }
}

/// The prefixes of one origin, by the segments of their paths.
private struct PathNode: Sendable {
    typealias Entry = (payload: Int, prefix: URLPrefix)

    private var children: [Substring: PathNode] = [:]
    /// A prefix that ends with this segment.
    private var whole: Entry?
    /// A prefix that ends with a slash behind this segment.
    private var folder: Entry?

    mutating func insert(_ prefix: URLPrefix, of payload: Int) {
        var segments = prefix.url.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let isFolder = segments.last?.isEmpty == true
        if isFolder { segments.removeLast() }
        insert((payload, prefix), at: segments[...], isFolder: isFolder)
    }

    private mutating func insert(_ entry: Entry, at segments: ArraySlice<Substring>, isFolder: Bool) {
        if let first = segments.first {
            children[first, default: PathNode()].insert(entry, at: segments.dropFirst(), isFolder: isFolder)
        } else if isFolder {
            folder = folder ?? entry
        } else {
            whole = whole ?? entry
        }
    }

    func longest(for path: Substring) -> Entry? {
        var node = self
        var best: Entry?
        var rest = path.utf8
        // Each round stands at a slash.
        while !rest.isEmpty {
            if let folder = node.folder { best = folder }
            if node.children.isEmpty { return best }
            rest = rest.dropFirst()
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard let child = node.children[Substring(rest[..<end])] else { return best }
            node = child
            if let whole = node.whole { best = whole }
            rest = rest[end...]
        }
        return best
    }

    func longestString(for path: Substring) -> Entry? {
        entries.filter { path.utf8.starts(with: $0.prefix.url.path.utf8) }
            .max { $0.prefix.url.path.utf8.count < $1.prefix.url.path.utf8.count }
    }

    private var entries: [Entry] { [whole, folder].compactMap { $0 } + children.values.flatMap(\.entries) }
    var prefixes: [URLPrefix] { entries.map(\.prefix) }
}
