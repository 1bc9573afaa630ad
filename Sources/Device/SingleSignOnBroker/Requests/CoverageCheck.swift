import Ground
import SingleSignOn
import SingleSignOnWire

/// Which installed extension is asked about a URL, if any.
struct CoverageCheck {
    enum Coverage {
        case covered(SingleSignOnPayload, ExtensionManifest, isCredential: Bool)
        /// The payload that would cover the URL, if there is one.
        case not(BrokerReason, SingleSignOnPayload? = nil)
    }

    let installation: Installation
    let domains: DomainRegistry

    /// - Parameters:
    ///   - responseCode: 0, or the status of a challenge: 401 or 407.
    ///   - isOperation: whether an app asks for an operation, for which the provider's own URL is enough.
    func coverage(of url: String, responseCode: Int, isOperation: Bool) -> Coverage {
        guard let payload = payload(for: url, responseCode: responseCode, isOperation: isOperation) else {
            return .not(.notCovered)
        }
        guard let manifest = installation.manifest(of: payload) else { return .not(.extensionMissing, payload) }
        let isRedirect = !payload.urls.isEmpty
        if isRedirect {
            // A URL without a host has no domain that could agree.
            let identity = manifest.identity
            guard let host = WebOrigin(of: url)?.host,
                domains.holds(extension: identity.extensionIdentifier, team: identity.teamIdentifier, host: host)
            else { return .not(.domainNotApproved, payload) }
        }
        return .covered(payload, manifest, isCredential: !isRedirect)
    }

    func coverage(of request: CallerRequest) -> Coverage {
        coverage(of: request.url, responseCode: request.responseCode, isOperation: !request.operation.isEmpty)
    }

    /// Asks again, because profiles, domains and extensions may have changed during an `await`.
    /// - Parameter manifest: of the extension that covered the request before.
    /// - Returns: nil if the caller may still get an answer of this extension about this URL.
    func refusal(of request: CallerRequest, by caller: Caller, since manifest: ExtensionManifest) -> BrokerReason? {
        switch coverage(of: request) {
        case .not(let reason, _): return reason
        case .covered(let payload, let present, _):
            let (old, new) = (manifest.identity, present.identity)
            guard (new.extensionIdentifier, new.teamIdentifier) == (old.extensionIdentifier, old.teamIdentifier) else {
                return .notCovered
            }
            return payload.deniedBundleIdentifiers.contains(caller.bundleIdentifier) ? .callerDenied : nil
        }
    }

    /// A sentence on what the reason alone does not tell; nil if there is nothing to add.
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

    /// docs/specifications/extensible-single-sign-on.md, 15.6 and 15.7.
    private func payload(for url: String, responseCode: Int, isOperation: Bool) -> SingleSignOnPayload? {
        let index = installation.index
        if let (scheme, name) = Self.realmOrHost(url) {
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

    /// Reads `sso-realm:NAME` and `sso-host:NAME`, also with two slashes, and the shorter schemes `realm` and `host`
    /// that older documents have.
    static func realmOrHost(_ url: String) -> (scheme: String, name: String)? {
        for scheme in ["sso-realm", "sso-host", "realm", "host"] where url.hasPrefix("\(scheme):") {
            let name = url.dropFirst(scheme.count + 1)
            return (scheme, String(name.hasPrefix("//") ? name.dropFirst(2) : name))
        }
        return nil
    }
}
