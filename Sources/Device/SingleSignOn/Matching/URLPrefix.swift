import Ground

/// An entry of a redirect payload's `URLs`: the requests to URLs that begin so go to the extension.
///
/// extensible-sso.md section 1.3, U1 to U9.
public struct URLPrefix: Sendable {
    /// As the profile has it.
    public let text: String
    let url: WebURL

    /// Why a text is no prefix. U2, U3, and a host and no user-info.
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

    /// In the form in which prefixes are compared with each other and with requests.
    public var canonical: String { url.text }
    /// Lower case, in ASCII: whose association file has to agree.
    public var host: String { url.origin.host }
}

extension URLPrefix: Hashable, CustomStringConvertible {
    public static func == (left: URLPrefix, right: URLPrefix) -> Bool { left.url == right.url }
    public func hash(into hasher: inout Hasher) { hasher.combine(url) }
    public var description: String { text }
}
