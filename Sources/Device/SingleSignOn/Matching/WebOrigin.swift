/// Scheme, host and port of a web URL, in the form in which they are compared.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// For example `https://id.acme.test`; with the port only if it is not the scheme's default.
    public let description: String
    /// The host in lower-case ASCII.
    public let host: String

    /// - Returns: nil if it is not an http or https URL.
    public init?(of url: String) {
        guard let url = try? WebURL(url) else { return nil }
        description = url.origin
        host = url.host
    }
}
