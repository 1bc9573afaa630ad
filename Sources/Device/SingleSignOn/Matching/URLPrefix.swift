import Ground

/// An entry of a redirect payload's `URLs`: requests to URLs with this prefix go to the extension.
///
/// docs/specifications/extensible-single-sign-on.md, 2.
public struct URLPrefix: Sendable {
    /// The text as in the profile.
    public let text: String
    let url: WebURL

    /// Why a text is not a valid prefix. It also needs a host, and must not have user-info.
    /// docs/specifications/extensible-single-sign-on.md, 2.2 and 2.3.
    public enum Problem: Error, Equatable {
        case notWeb, noHost, malformed, hasQuery, hasFragment, hasUserInfo
    }

    public init(_ text: String) throws(Problem) {
        self.text = text
        do {
            var copy = text
            let parts = try copy.withUTF8 { try WebURLParts($0) }
            if parts.hasUserInfo { throw Problem.hasUserInfo }
            if parts.hasQuery { throw Problem.hasQuery }
            if parts.hasFragment { throw Problem.hasFragment }
            url = try WebURL(text)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw switch error as? WebURL.Problem {
            case .notWeb: .notWeb
            case .noHost: .noHost
            default: .malformed
            }
        }
    }

    /// The form in which prefixes are compared with each other and with requests.
    public var canonical: String { url.text }
    /// The host in lower-case ASCII, whose association file has to name the app.
    public var host: String { url.origin.host }
}

extension URLPrefix: Hashable, CustomStringConvertible {
    public static func == (left: URLPrefix, right: URLPrefix) -> Bool { left.url == right.url }
    public func hash(into hasher: inout Hasher) { hasher.combine(url) }
    public var description: String { text }
}
