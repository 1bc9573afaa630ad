import Foundation
import SingleSignOnWire

/// A profile that was read, and all that there is to say about it, in one pass.
///
/// extensible-sso.md section 1.6.
public struct ProfileReading: Sendable {
    /// Nil if there are errors.
    public let profile: Profile?
    /// Errors first.
    public let findings: [Finding]

    public var errors: [Finding] { findings.filter { $0.severity == .error } }
    public var warnings: [Finding] { findings.filter { $0.severity == .warning } }

    /// - Parameters:
    ///   - data: a property list, XML or binary.
    ///   - installed: the profiles beside which it is to be installed; one with the same identifier is replaced and not
    ///     compared.
    public init(_ data: Data, beside installed: [Profile] = []) {
        let value: PropertyListValue
        do {
            value = try PropertyListValue(reading: data)
        } catch {
            self.init(
                profile: nil,
                findings: [Finding(.error, at: "", "\(error)", remedy: "Write it as XML, with a root <dict>.")])
            return
        }
        self.init(value, beside: installed)
    }

    public init(_ value: PropertyListValue, beside installed: [Profile] = []) {
        var reader = ProfileReader(installed: installed)
        let profile = reader.read(value)
        let findings = reader.findings.enumerated()
            .sorted { ($0.element.severity, $0.offset) < ($1.element.severity, $1.offset) }
            .map(\.element)
        self.init(profile: findings.first?.severity == .error ? nil : profile, findings: findings)
    }

    private init(profile: Profile?, findings: [Finding]) {
        self.profile = profile
        self.findings = findings
    }
}

/// Reads the outer dictionary and hands each payload to its own reader.
struct ProfileReader {
    private(set) var findings: [Finding] = []
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
        let identifier = keys.string("PayloadIdentifier", isRequired: true)
        let uuid = keys.string("PayloadUUID", isRequired: true)
        let displayName = keys.string("PayloadDisplayName")
        let organization = keys.string("PayloadOrganization")
        let contents = keys.array("PayloadContent", isRequired: true) ?? []
        findings += keys.findings

        claims.begin(installed.filter { $0.identifier != identifier })
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
                if let payload = reader.read() { payloads.append((payload, path)) }
                findings += reader.findings
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
        for (payload, path) in payloads {
            findings += unclaimed(payload, by: domains, at: path)
        }
        guard let identifier else { return nil }
        return Profile(
            identifier: identifier, uuids: uuids, displayName: displayName, organization: organization,
            payloads: payloads.map(\.payload), managedDomains: domains)
    }

    /// The hosts of redirect payloads that no domain of this profile speaks for. U8.
    private func unclaimed(_ payload: SingleSignOnPayload, by domains: [ManagedDomains], at path: String) -> [Finding] {
        let known = domains.flatMap(\.domains).filter { $0.service == AssociatedDomain.authentication }
        return payload.urls.enumerated().compactMap { index, url in
            guard !known.contains(where: { $0.covers(url.host) }) else { return nil }
            return Finding(
                .warning, at: "\(path).URLs[\(index)]",
                "No entry “authsrv:\(url.host)” is known: without one the extension is not asked for this host.",
                remedy: "Add it to a payload \(ManagedDomains.payloadType), unless the extension's own app claims it.")
        }
    }
}

/// What must be unique in all installed profiles. U5, H5.
private struct Claims {
    private var uuids: [String: String] = [:]
    private var urls: [URLPrefix: String] = [:]
    private var hosts: [HostPattern: String] = [:]

    mutating func begin(_ installed: [Profile]) {
        for profile in installed {
            let owner = "the installed profile “\(profile.identifier)”"
            for uuid in profile.uuids { uuids[uuid.lowercased()] = owner }
            for payload in profile.payloads {
                for url in payload.urls { urls[url] = owner }
                for host in payload.hosts { hosts[host] = owner }
            }
        }
    }

    mutating func add(uuid: String, at path: String) -> [Finding] {
        if let owner = uuids.updateValue(path, forKey: uuid.lowercased()) {
            return [
                Finding(
                    .error, at: path, "The UUID \(uuid) is that of \(owner) already.",
                    remedy: "Make a new one, for instance with uuidgen.")
            ]
        }
        return []
    }

    mutating func add(_ new: [(index: Int, value: URLPrefix)], at path: String) -> [Finding] {
        new.compactMap { index, url in
            guard let owner = urls[url] else {
                urls[url] = "\(path)[\(index)]"
                return nil
            }
            return Finding(
                .error, at: "\(path)[\(index)]", "“\(url.text)” is the same as what \(owner) claims.",
                remedy: "A URL belongs to one payload: take it out of one of them.")
        }
    }

    mutating func add(_ new: [(index: Int, value: HostPattern)], at path: String) -> [Finding] {
        new.compactMap { index, host in
            guard let owner = hosts[host] else {
                hosts[host] = "\(path)[\(index)]"
                return nil
            }
            return Finding(
                .error, at: "\(path)[\(index)]", "“\(host)” is the same as what \(owner) claims.",
                remedy: "A host belongs to one payload: take it out of one of them.")
        }
    }
}

extension String {
    /// “an array”, “a string”.
    var withArticle: String {
        ("aeiou".contains(prefix(1)) ? "an " : "a ") + self
    }
}
