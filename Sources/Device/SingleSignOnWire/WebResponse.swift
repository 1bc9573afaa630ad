#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an extension answers in place of the server: a redirection, or a small page with a form that submits itself.
///
/// docs/specifications/extensible-single-sign-on.md, 16.3 to 16.7.
public struct WebResponse: Codable, Hashable, Sendable {
    /// Of the same origin as the request's.
    public var url: String
    public var status: Int
    public var headers: [HeaderField]
    public var body: Data?

    public init(url: String, status: Int, headers: [HeaderField] = [], body: Data? = nil) {
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body
    }
}
