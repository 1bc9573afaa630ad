import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The result of reading a profile: the profile, and all findings about it.
///
/// docs/specifications/extensible-single-sign-on.md, 5.
public struct ProfileReading: Sendable {
    /// The profile; nil if there are errors.
    public let profile: Profile?
    /// All findings, errors first.
    public let findings: [Finding]

    /// `PayloadIdentifier`, even if there are errors; nil if it could not be read.
    public let identifier: String?
    /// The name of the signer, if the signature leads to one of the given certificates.
    public let signer: String?

    public var errors: [Finding] { findings.filter { $0.severity == .error } }
    public var warnings: [Finding] { findings.filter { $0.severity == .warning } }

    /// - Parameters:
    ///   - data: a property list, XML or binary, or one of those in a CMS wrapper.
    ///   - signers: the certificates whose signatures count.
    ///   - requiresSignature: whether a missing or unknown signature is an error. Otherwise an unknown signature gives
    ///     a warning, and a missing one nothing.
    ///   - installed: the installed profiles to check for conflicts, except one with the same identifier, which would
    ///     be replaced.
    public init(
        _ data: Data, signers: SigningCertificates = .none, requiresSignature: Bool = false,
        beside installed: [Profile] = []
    ) {
        var data = data
        var signature: Finding?
        var signer: String?
        if SignedProfile.isSigned(data) {
            do {
                let signed = try SignedProfile(data, certificates: signers)
                data = signed.content
                signature = signed.finding(isError: requiresSignature)
                signer = signature == nil ? signed.signer : nil
            } catch {
                self.init(unreadable: error.description, remedy: error.remedy)
                return
            }
        } else if requiresSignature {
            signature = Finding(
                .error, at: "", "This profile is not signed.",
                remedy: "Have it signed by one of those whose certificates are known here.")
        }
        do {
            let value = try PropertyListValue(reading: data)
            self.init(value, signature.map { [$0] } ?? [], signer: signer, beside: installed)
        } catch {
            self.init(unreadable: "\(error)", remedy: error.remedy)
        }
    }

    public init(_ value: PropertyListValue, beside installed: [Profile] = []) {
        self.init(value, [], signer: nil, beside: installed)
    }

    private init(
        _ value: PropertyListValue, _ before: [Finding], signer: String?, beside installed: [Profile]
    ) {
        var reader = ProfileReader(installed: installed)
        let profile = reader.read(value)
        findings = (before + reader.findings).enumerated()
            .sorted { ($0.element.severity, $0.offset) < ($1.element.severity, $1.offset) }
            .map(\.element)
        self.profile = findings.first?.severity == .error ? nil : profile
        identifier = reader.identifier
        self.signer = signer
    }

    private init(unreadable problem: String, remedy: String) {
        profile = nil
        findings = [Finding(.error, at: "", problem, remedy: remedy)]
        identifier = nil
        signer = nil
    }

    /// The first errors as one short text.
    var errorSummary: String {
        let errors = errors
        let rest = errors.count > 3 ? " And \(errors.count - 3) more: lanyard-sso profile validate shows them all." : ""
        return errors.prefix(3).map { error in
            (error.keyPath.isEmpty ? "" : "\(error.keyPath): ") + error.problem + (error.remedy.map { " \($0)" } ?? "")
        }.joined(separator: " ") + rest
    }
}

extension SignedProfile {
    /// What is wrong with the signature; nil if it is accepted.
    fileprivate func finding(isError: Bool) -> Finding? {
        let problem: String
        switch voucher {
        case .vouched: return nil
        case .unknown: problem = "This profile is signed by “\(signer)”, for whom nobody vouches here."
        case .expired: problem = "The certificate of “\(signer)”, who has signed this profile, is not valid today."
        case .otherPurpose:
            problem = "The certificate of “\(signer)”, who has signed this profile, is not one for signing."
        }
        return Finding(
            isError ? .error : .warning, at: "", problem,
            remedy: isError
                ? "Have it signed by one of those whose certificates are known here."
                : "It counts as one that is not signed.")
    }
}

/// Reads the outer dictionary and passes each payload to the reader of its type.
struct ProfileReader {
    private(set) var findings: [Finding] = []
    private(set) var identifier: String?
    private let installed: [Profile]
    private var claims = Claims()

    init(installed: [Profile]) {
        self.installed = installed
    }

    mutating func read(_ value: PropertyListValue) -> Profile? {
        guard case .dictionary(let entries) = value else {
            findings.append(
                Finding(
                    .error, at: "", "The root is \(value.typeName.withArticle), not a dictionary.",
                    remedy: "Begin the profile with <dict>."))
            return nil
        }
        var keys = Keys(entries, at: "")
        let type = keys.string("PayloadType", isRequired: true)
        if let type, type != "Configuration" {
            let remedy =
                type == SingleSignOnPayload.type
                ? "Put this payload into the array PayloadContent of a profile." : "Write Configuration."
            keys.report(.error, "PayloadType", "is “\(type)”, not “Configuration”.", remedy)
        }
        identifier = keys.string("PayloadIdentifier", isRequired: true)
        let uuid = keys.string("PayloadUUID", isRequired: true)
        let displayName = keys.string("PayloadDisplayName")
        let organization = keys.string("PayloadOrganization")
        let contents = keys.array("PayloadContent", isRequired: true) ?? []
        findings += keys.findings

        for profile in installed where profile.identifier != identifier { claims.add(profile) }
        var uuids: [String] = []
        if let uuid {
            uuids.append(uuid)
            findings += claims.add(uuid: uuid, at: "PayloadUUID")
        }
        var payloads: [(payload: SingleSignOnPayload, path: String)] = []
        var domains: [ManagedDomains] = []
        for (index, content) in contents.enumerated() {
            let path = "PayloadContent[\(index)]"
            guard case .dictionary(let entries) = content else {
                findings.append(
                    Finding(
                        .error, at: path, "This is \(content.typeName.withArticle), not a dictionary.",
                        remedy: "Write one <dict> for each payload."))
                continue
            }
            var keys = Keys(entries, at: path)
            if case .string(let uuid) = entries["PayloadUUID"], !uuid.isEmpty {
                uuids.append(uuid)
                findings += claims.add(uuid: uuid, at: "\(path).PayloadUUID")
            }
            switch keys.string("PayloadType", isRequired: true) {
            case SingleSignOnPayload.type?:
                var reader = PayloadReader(keys)
                let payload = reader.read()
                findings += reader.findings
                if let payload {
                    payloads.append((payload, path))
                    findings += claims.add(defaultRealmOf: payload, at: path)
                }
                findings += claims.add(reader.urls, at: "\(path).URLs")
                findings += claims.add(reader.hosts, at: "\(path).Hosts")
            case ManagedDomains.payloadType?:
                var reader = ManagedDomainsReader(keys)
                domains += reader.read()
                findings += reader.findings
            case let type?:
                findings += keys.findings
                findings.append(
                    Finding(
                        .information, at: path, "A payload of type “\(type)” has nothing to do with single sign-on."))
            case nil: findings += keys.findings
            }
        }
        if payloads.isEmpty, !findings.contains(where: { $0.severity == .error }) {
            findings.append(
                Finding(
                    .warning, at: "PayloadContent", "There is no payload of type \(SingleSignOnPayload.type).",
                    remedy: "Without one this profile signs nobody in."))
        }
        findings += withoutDefaultRealm(payloads.map(\.payload))
        let known = KnownDomains(domains)
        for (payload, path) in payloads {
            findings += unclaimed(payload, by: known, at: path)
        }
        guard let identifier else { return nil }
        return Profile(
            identifier: identifier, uuids: uuids, displayName: displayName, organization: organization,
            payloads: payloads.map(\.payload), managedDomains: domains)
    }

    /// A note if a profile has several realms, and says of none that it is the default one.
    /// docs/specifications/extensible-single-sign-on.md, 21.4.
    private func withoutDefaultRealm(_ payloads: [SingleSignOnPayload]) -> [Finding] {
        let kerberos = payloads.filter(\.isKerberos)
        let realms = Set(kerberos.compactMap(\.realm)).sorted()
        guard realms.count > 1, !kerberos.contains(where: \.isDefaultRealm) else { return [] }
        return [
            Finding(
                .information, at: "PayloadContent",
                "None of the realms \(realms.joined(separator: ", ")) is the default one, which programs take that ask for none.",
                remedy: "Let isDefaultRealm be true in the payload of the one where people sign in.")
        ]
    }

    /// Warnings for hosts of a redirect payload that no domain entry of this profile covers, or none for the payload's
    /// team. docs/specifications/extensible-single-sign-on.md, 2.6.
    private func unclaimed(_ payload: SingleSignOnPayload, by known: KnownDomains, at path: String) -> [Finding] {
        payload.urls.enumerated().compactMap { index, url in
            let place = "\(path).URLs[\(index)]"
            let apps = known.apps(of: url.host)
            guard !apps.isEmpty else {
                return Finding(
                    .warning, at: place,
                    "No entry “authsrv:\(url.host)” is known: without one the extension is not asked for this host.",
                    remedy: """
                        Add it to a payload \(ManagedDomains.payloadType), unless the extension's own app claims it.
                        """)
            }
            guard let team = payload.teamIdentifier, apps[team] == nil else { return nil }
            return Finding(
                .warning, at: place,
                """
                The entry “authsrv:\(url.host)” is for “\(apps.values.sorted()[0])”, which does not begin with the \
                extension's team “\(team)”: the extension is not asked for this host.
                """,
                remedy: "Let ApplicationIdentifier be that team, a dot, and the app's bundle id.")
        }
    }
}

/// The domains in a profile's entries `authsrv`, indexed to be looked up for thousands of hosts.
private struct KnownDomains {
    /// For each domain, an app by its team.
    private var exact: [Substring: [String: String]] = [:]
    private var parents: [Substring: [String: String]] = [:]

    init(_ domains: [ManagedDomains]) {
        for entry in domains {
            let app = entry.applicationIdentifier
            let team = String(app.prefix { $0 != "." })
            for domain in entry.domains where domain.service == AssociatedDomain.authentication {
                if domain.isWildcard {
                    parents[domain.domain[...], default: [:]][team] = app
                } else {
                    exact[domain.domain[...], default: [:]][team] = app
                }
            }
        }
    }

    /// Apps whose entries cover a host, one for each team.
    func apps(of host: String) -> [String: String] {
        var apps = exact[host[...]] ?? [:]
        guard !parents.isEmpty else { return apps }
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            apps.merge(parents[rest] ?? [:]) { first, _ in first }
        }
        return apps
    }
}

extension String {
    /// “an array”, “a string”.
    var withArticle: String {
        ("aeiou".contains(prefix(1)) ? "an " : "a ") + self
    }
}
