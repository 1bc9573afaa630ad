/// Scheme, host and port of a URL of the web, in the one form in which they are compared.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// Such as `https://id.acme.test`; the port only if it is not the scheme's own.
    public let description: String
    /// Lower case, in ASCII.
    public let host: String

    /// - Returns: nil if it is no URL with http or https.
    public init?(of url: String) {
        guard let url = try? WebURL(url) else { return nil }
        description = url.origin
        host = url.host
    }
}
