import Ground
import SingleSignOnWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cookies of one client, kept by origin: a cookie is sent only to the origin that set it, whatever domain it
/// names.
public final class CookieJar: Sendable {
    private let now: @Sendable () -> Date
    private let cookies = Mutex<[WebOrigin: [Cookie]]>([:])
    /// The largest number of cookies of one origin, as in browsers; with one more, the oldest is removed.
    private static let perOriginMax = 180

    private struct Cookie {
        let name: String
        let value: String
        let path: String
        let isSecure: Bool
        let isHTTPOnly: Bool
        /// When it expires; nil if it lasts as long as the client.
        let expiresAt: Date?
    }

    public convenience init() { self.init(now: Surroundings.system.now) }

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    /// Keeps what a response sets.
    /// - Parameters:
    ///   - headers: values of `Set-Cookie`.
    ///   - url: the URL of the response.
    public func store(_ headers: [String], from url: URL) {
        guard let origin = WebOrigin(of: url) else { return }
        for header in headers { store(header, of: origin, path: url.path(percentEncoded: true)) }
    }

    /// Takes over the session that an extension has opened: native requests then share it.
    /// docs/specifications/extensible-single-sign-on.md, 17.4.
    public func store(_ response: ASAuthenticatedResponse) {
        guard let url = response.url else { return }
        store(response.headerFields.values(of: "set-cookie"), from: url)
    }

    private func store(_ header: String, of origin: WebOrigin, path: String) {
        guard let parsed = SetCookie(header),
            // Cookies are kept by origin, so one set over plain HTTP cannot replace one that a secure page set.
            !parsed.isSecure || origin.isSecure || origin.isLoopback
        else { return }
        let expiresAt = parsed.maxAge.map { now().addingTimeInterval(TimeInterval($0)) } ?? parsed.expires
        let cookie = Cookie(
            name: parsed.name, value: parsed.value, path: parsed.path ?? Self.defaultPath(path),
            isSecure: parsed.isSecure, isHTTPOnly: parsed.isHTTPOnly, expiresAt: expiresAt)
        cookies.withLock { all in
            var own = all[origin, default: []]
            own.removeAll { $0.name == cookie.name && $0.path == cookie.path }
            if expiresAt.map({ $0 > now() }) ?? true { own.append(cookie) }
            if own.count > Self.perOriginMax { own.removeFirst() }
            all[origin] = own.isEmpty ? nil : own
        }
    }

    /// The value of the header `Cookie`, with the cookies of longer paths first; nil if there are none. RFC 6265
    /// section 5.4.
    public func header(for url: URL) -> String? {
        let pairs = values(for: url)
        return pairs.isEmpty ? nil : pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    func values(for url: URL) -> [(name: String, value: String)] {
        guard let origin = WebOrigin(of: url) else { return [] }
        let path = url.path(percentEncoded: true)
        let own = cookies.withLock { $0[origin] ?? [] }
        return own.filter { cookie in
            Self.path(path.isEmpty ? "/" : path, isWithin: cookie.path) && cookie.expiresAt.map { $0 > now() } ?? true
        }.enumerated().sorted { left, right in
            (-left.element.path.utf8.count, left.offset) < (-right.element.path.utf8.count, right.offset)
        }.map { ($0.element.name, $0.element.value) }
    }

    /// A cookie in the form in which it is passed to another program.
    public struct Exported: Hashable, Sendable, Encodable {
        public let name: String
        public let value: String
        public let host: String
        public let path: String
        public let isSecure: Bool
        public let isHTTPOnly: Bool
        /// When it expires; nil if it lasts as long as the session.
        public let expiresAt: Date?
        fileprivate let origin: WebOrigin

        private enum CodingKeys: CodingKey { case name, value, host, path, isSecure, isHTTPOnly, expiresAt }

        /// Whether a request to the URL would carry it.
        public func goes(to url: URL) -> Bool {
            let path = url.path(percentEncoded: true)
            return WebOrigin(of: url) == origin && CookieJar.path(path.isEmpty ? "/" : path, isWithin: self.path)
        }
    }

    /// All cookies that have not expired, ordered by host and path.
    public var all: [Exported] {
        let time = now()
        return cookies.withLock { $0 }.flatMap { origin, cookies in
            cookies.filter { cookie in cookie.expiresAt.map { $0 > time } ?? true }.map { cookie in
                Exported(
                    name: cookie.name, value: cookie.value, host: origin.host, path: cookie.path,
                    // A cookie that was set over TLS must not be sent without it by the other program.
                    isSecure: cookie.isSecure || origin.isSecure, isHTTPOnly: cookie.isHTTPOnly,
                    expiresAt: cookie.expiresAt, origin: origin)
            }
        }.sorted { ($0.host, $0.path, $0.name) < ($1.host, $1.path, $1.name) }
    }

    public func removeAll() { cookies.withLock { $0 = [:] } }

    /// RFC 6265 section 5.1.4.
    fileprivate static func path(_ path: String, isWithin prefix: String) -> Bool {
        guard path.hasPrefix(prefix) else { return false }
        return prefix.hasSuffix("/") || path.utf8.count == prefix.utf8.count
            || path.utf8.dropFirst(prefix.utf8.count).first == UInt8(ascii: "/")
    }

    private static func defaultPath(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
