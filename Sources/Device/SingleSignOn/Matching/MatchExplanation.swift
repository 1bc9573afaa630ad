import Ground

/// Which payload applies to a request and why, or why none does.
public struct MatchExplanation: Sendable, CustomStringConvertible {
    public enum Outcome: Sendable {
        /// Applies before the request, by this prefix.
        case redirect(SingleSignOnPayload, URLPrefix)
        /// Applies after a challenge of the server, by this pattern.
        case credential(SingleSignOnPayload, HostPattern)
        /// Applies to operations of apps only: the URL names the identity provider of the payload with this prefix.
        case provider(SingleSignOnPayload, URLPrefix)
        case none(Reason)
    }

    public enum Reason: Equatable, Sendable {
        /// The scheme is neither http nor https.
        case notWeb
        case malformed
        /// No payload has a URL with this scheme, host and port, or this host.
        case unknownOrigin
        /// There are prefixes with the same origin, but none covers the path.
        case otherPaths([URLPrefix])
        /// The server challenges, but no payload has the host.
        case unknownHost
    }

    /// The URL in the form that was compared; nil if it is not a web URL.
    public let compared: String?
    public let outcome: Outcome

    /// An explanation in sentences.
    public var description: String { text(isAsked: true) }

    /// - Parameter isAsked: whether the extension can be asked. This does not follow from profiles alone.
    public func text(isAsked: Bool) -> String {
        let subject = compared.map { "\($0): " } ?? ""
        let verb = isAsked ? "is asked" : "would be asked"
        switch outcome {
        case .redirect(let payload, let prefix):
            return "\(subject)\(payload.extensionIdentifier) \(verb) before the request, by “\(prefix)”."
        case .credential(let payload, let pattern):
            return "\(subject)\(payload.extensionIdentifier) \(verb) when the server challenges, by “\(pattern)”."
        case .provider(let payload, let prefix):
            return
                "\(subject)\(payload.extensionIdentifier) \(verb) when an app names this identity provider, by “\(prefix)”. "
                + "Requests of the web to it go on as usual."
        case .none(.notWeb): return "Nobody is asked: this is no URL with http or https."
        case .none(.malformed): return "Nobody is asked: this is no URL."
        case .none(.unknownOrigin):
            return "\(subject)nobody is asked: no profile has a URL of this scheme, host and port, nor the host."
        case .none(.unknownHost):
            return "\(subject)nobody is asked when the server challenges: no profile has the host."
        case .none(.otherPaths(let prefixes)):
            let list = prefixes.map { "“\($0)”" }.sorted().prefix(10).joined(separator: ", ")
            return "\(subject)nobody is asked: the profiles have other paths there: \(list)."
        }
    }
}

extension MatchIndex {
    /// Explains what happens to a request: URLs are tried first, then hosts, as after a challenge.
    /// - Parameter isChallenge: whether the server has challenged already, so that only hosts count.
    public func explain(_ text: String, isChallenge: Bool = false) -> MatchExplanation {
        let url: WebURL
        do {
            url = try WebURL(text)
        } catch {
            return MatchExplanation(compared: nil, outcome: .none(error == .notWeb ? .notWeb : .malformed))
        }
        let compared = url.text
        if !isChallenge, let match = redirect(for: url) {
            return MatchExplanation(compared: compared, outcome: .redirect(match.payload, match.entry))
        }
        if let match = credential(forHost: url.origin.host) {
            return MatchExplanation(compared: compared, outcome: .credential(match.payload, match.entry))
        }
        if !isChallenge, let match = provider(for: url) {
            return MatchExplanation(compared: compared, outcome: .provider(match.payload, match.entry))
        }
        if isChallenge { return MatchExplanation(compared: compared, outcome: .none(.unknownHost)) }
        let others = prefixes(of: url.origin)
        return MatchExplanation(
            compared: compared, outcome: .none(others.isEmpty ? .unknownOrigin : .otherPaths(others)))
    }
}
