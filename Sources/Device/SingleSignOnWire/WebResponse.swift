#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The response of an extension in place of the server: a redirection, or a small page with a form that submits itself.
///
/// docs/specifications/extensible-single-sign-on.md, 16.3 to 16.7.
public struct WebResponse: Codable, Hashable, Sendable {
    /// The URL of the response, with the same origin as the request's.
    public var url: String
    /// 200 or 302 for web requests.
    public var status: Int
    public var headers: [HeaderField]
    /// At most 128 KiB.
    public var body: Data?

    public init(url: String, status: Int, headers: [HeaderField] = [], body: Data? = nil) {
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body
    }
}
