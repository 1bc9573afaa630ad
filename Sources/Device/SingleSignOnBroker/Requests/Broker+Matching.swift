import Ground
import SingleSignOn
import SingleSignOnWire

extension Broker {
    enum Coverage {
        case covered(SingleSignOnPayload, ExtensionManifest, isCredential: Bool)
        case not(BrokerReason, SingleSignOnPayload? = nil)
    }

    func coverage(of url: String, responseCode: Int, isOperation: Bool) -> Coverage {
        guard let payload = payload(for: url, responseCode: responseCode, isOperation: isOperation) else {
            return .not(.notCovered)
        }
        guard let manifest = installation.manifest(of: payload) else { return .not(.extensionMissing, payload) }
        let isRedirect = !payload.urls.isEmpty
        if isRedirect {
            // Closed on whatever cannot be asked for.
            let identity = manifest.identity
            guard let host = WebOrigin(of: url)?.host,
                domains.holds(extension: identity.extensionIdentifier, team: identity.teamIdentifier, host: host)
            else { return .not(.domainNotApproved, payload) }
        }
        return .covered(payload, manifest, isCredential: !isRedirect)
    }

    /// extensible-sso.md section 5.3 for realms and hosts, 8.22 for the code.
    private func payload(for url: String, responseCode: Int, isOperation: Bool) -> SingleSignOnPayload? {
        let index = installation.index
        if let (scheme, name) = Self.named(url) {
            return scheme.hasSuffix("realm")
                ? index.credential(forRealm: name) : index.credential(forHost: name)?.payload
        }
        switch responseCode {
        case 401, 407: return WebOrigin(of: url).flatMap { index.credential(forHost: $0.host)?.payload }
        default:
            if let match = index.redirect(for: url) { return match.payload }
            guard isOperation, let origin = WebOrigin(of: url) else { return nil }
            return index.credential(forHost: origin.host)?.payload ?? index.provider(for: url)?.payload
        }
    }

    /// `sso-realm:NAME`, `sso-host:NAME`, also with two slashes, and the shorter names of old documents.
    private static func named(_ url: String) -> (scheme: String, name: String)? {
        for scheme in ["sso-realm", "sso-host", "realm", "host"] where url.hasPrefix("\(scheme):") {
            let name = url.dropFirst(scheme.count + 1)
            return (scheme, String(name.hasPrefix("//") ? name.dropFirst(2) : name))
        }
        return nil
    }

    /// What the reason does not say, in words.
    func detail(of reason: BrokerReason, _ payload: SingleSignOnPayload?, url: String) -> String? {
        guard let payload else { return nil }
        switch reason {
        case .extensionMissing: return installation.problem(of: payload)
        case .domainNotApproved:
            guard let host = WebOrigin(of: url)?.host, let identity = installation.manifest(of: payload)?.identity
            else { return nil }
            return domains.problem(
                extension: identity.extensionIdentifier, team: identity.teamIdentifier, host: host)
        default: return nil
        }
    }

    func match(_ url: String, responseCode: Int) -> BrokerMatch {
        let found = installation.index.explain(url, isChallenge: [401, 407].contains(responseCode))
        /// No profile has a realm's URL.
        func explanation(_ payload: SingleSignOnPayload?, isAsked: Bool) -> String {
            guard Self.named(url) != nil else { return found.text(isAsked: isAsked) }
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
            let host = hosts[manifest.identity.extensionIdentifier]
            if let why = host?.assumeIsolated({ $0.backedOff }) {
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
