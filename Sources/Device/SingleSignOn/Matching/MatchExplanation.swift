import Ground

/// Which payload answers for a request, and why; or why none does.
public struct MatchExplanation: Sendable, CustomStringConvertible {
    public enum Outcome: Sendable {
        /// Before the request: by this prefix.
        case redirect(SingleSignOnPayload, URLPrefix)
        /// After a challenge of the server: by this pattern.
        case credential(SingleSignOnPayload, HostPattern)
        /// For operations of apps alone, which name the identity provider so: by this prefix of the payload.
        case provider(SingleSignOnPayload, URLPrefix)
        case none(Reason)
    }

    public enum Reason: Equatable, Sendable {
        /// It begins with neither http nor https.
        case notWeb
        case malformed
        /// No payload has a URL of this scheme, host and port, or the host.
        case unknownOrigin
        /// There are prefixes of the same origin, and none covers the path.
        case otherPaths([URLPrefix])
        /// The server challenges, and no payload has the host.
        case unknownHost
    }

    /// The URL as it was compared; nil if it is none.
    public let compared: String?
    public let outcome: Outcome

    /// Sentences for a person.
    public var description: String { text(isAsked: true) }

    /// - Parameter isAsked: whether the extension can be asked, which no profile tells.
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
    /// What becomes of a request: URLs are tried first, hosts on a challenge.
    /// - Parameter isChallenge: whether the server has challenged already, so that hosts alone count.
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
