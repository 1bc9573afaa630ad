import SingleSignOn
import SingleSignOnWire

extension CoverageCheck {
    /// Whether a URL is covered and by what, explained for people: `GET /v1/match`.
    /// - Parameter backedOff: why the extension with an identifier is not asked for now; nil if it is.
    func match(
        _ url: String, responseCode: Int, backedOff: (_ identifier: String) -> ExtensionHost.Problem?
    ) -> BrokerMatch {
        let found = installation.index.explain(url, isChallenge: [401, 407].contains(responseCode))
        /// The index explains URLs of profiles only, which those of realms and hosts are not.
        func explanation(_ payload: SingleSignOnPayload?, isAsked: Bool) -> String {
            guard Self.realmOrHost(url) != nil else { return found.text(isAsked: isAsked) }
            guard let payload else { return "\(url): nobody is asked: no profile has this realm or host." }
            let verb = isAsked ? "is asked" : "would be asked"
            return "\(url): \(payload.extensionIdentifier) \(verb), by the realm or the host."
        }
        var match: BrokerMatch
        switch coverage(of: url, responseCode: responseCode, isOperation: responseCode == 0) {
        case .covered(let payload, let manifest, _):
            match = BrokerMatch(
                isCovered: true, extension: manifest.identity.extensionIdentifier,
                extensionName: manifest.displayName, organization: installation.organizations[payload.uuid],
                reason: .answered, explanation: explanation(payload, isAsked: true))
            if let why = backedOff(manifest.identity.extensionIdentifier) {
                match.explanation += " But it is left alone for now: \(why.detail)."
            }
        case .not(let reason, let payload):
            let detail = detail(of: reason, payload, url: url)
            let more =
                switch reason {
                case .domainNotApproved:
                    detail.map { " But no domain is asked: \($0)." }
                        ?? " But its domain has not agreed to it: see `lanyard-sso domains`."
                case .extensionMissing: " But " + (detail ?? "it is not on this device.")
                default: ""
                }
            match = BrokerMatch(
                isCovered: false, extension: payload?.extensionIdentifier, extensionName: nil, reason: reason,
                explanation: explanation(payload, isAsked: payload == nil) + more)
        }
        match.url = found.compared
        switch found.outcome {
        case .redirect(_, let prefix): (match.entry, match.isCredential) = (prefix.text, false)
        case .credential(_, let pattern): (match.entry, match.isCredential) = (pattern.canonical, true)
        case .provider(_, let prefix):
            (match.entry, match.isCredential, match.isForOperations) = (prefix.text, false, true)
        case .none: break
        }
        return match
    }
}
