import Crypto
import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The input from which a profile is built; everything else is derived.
public struct ProfileDescription: Sendable {
    /// The profile's identifier in reverse DNS, such as `test.acme.sso`. A profile replaces an installed one with the
    /// same identifier.
    public var identifier: String
    public var displayName: String?
    public var organization: String?
    public var extensionIdentifier: String
    public var teamIdentifier: String
    /// The app that contains the extension, for which the profile claims the domains; nil if the app claims them
    /// itself.
    public var hostAppIdentifier: String?
    /// The URLs of a redirect payload; empty for none.
    public var urls: [String]
    /// The hosts of a credential payload; empty for none.
    public var hosts: [String]
    public var realm: String?
    public var extensionData: [String: PropertyListValue]

    public init(
        identifier: String, displayName: String? = nil, organization: String? = nil, extensionIdentifier: String,
        teamIdentifier: String, hostAppIdentifier: String? = nil, urls: [String] = [], hosts: [String] = [],
        realm: String? = nil, extensionData: [String: PropertyListValue] = [:]
    ) {
        self.identifier = identifier
        self.displayName = displayName
        self.organization = organization
        self.extensionIdentifier = extensionIdentifier
        self.teamIdentifier = teamIdentifier
        self.hostAppIdentifier = hostAppIdentifier
        self.urls = urls
        self.hosts = hosts
        self.realm = realm
        self.extensionData = extensionData
    }

    /// The profile. It is the same for the same description, because its UUIDs are derived from the identifiers.
    ///
    /// It is not checked here; pass it to ``ProfileReading``.
    public var profile: PropertyListValue {
        var payloads: [PropertyListValue] = []
        if !urls.isEmpty {
            payloads.append(
                payload(
                    "redirect", of: SingleSignOnPayload.type,
                    extensionKeys("Redirect").merging(["URLs": .strings(urls)]) { $1 }))
        }
        if !hosts.isEmpty || realm != nil {
            var keys = extensionKeys("Credential")
            keys["Hosts"] = .strings(hosts)
            keys["Realm"] = realm.map(PropertyListValue.string)
            payloads.append(payload("credential", of: SingleSignOnPayload.type, keys))
        }
        if let hostAppIdentifier, !urls.isEmpty {
            var known: Set<String> = []
            let domains = urls.compactMap { try? URLPrefix($0).host }.filter { known.insert($0).inserted }
            payloads.append(
                payload(
                    "domains", of: ManagedDomains.payloadType,
                    [
                        "Configuration": .array([
                            .dictionary([
                                "ApplicationIdentifier": .string("\(teamIdentifier).\(hostAppIdentifier)"),
                                "AssociatedDomains": .strings(
                                    domains.map { "\(AssociatedDomain.authentication):\($0)" }),
                            ])
                        ])
                    ]))
        }
        var whole = generic(identifier, "Configuration")
        whole["PayloadDisplayName"] = .string(displayName ?? "Single sign-on")
        whole["PayloadOrganization"] = organization.map(PropertyListValue.string)
        whole["PayloadScope"] = .string("System")
        whole["PayloadContent"] = .array(payloads)
        return .dictionary(whole)
    }

    private func extensionKeys(_ type: String) -> [String: PropertyListValue] {
        var keys: [String: PropertyListValue] = [
            "ExtensionIdentifier": .string(extensionIdentifier), "TeamIdentifier": .string(teamIdentifier),
            "Type": .string(type),
        ]
        if !extensionData.isEmpty { keys["ExtensionData"] = .dictionary(extensionData) }
        return keys
    }

    private func payload(
        _ name: String, of type: String, _ keys: [String: PropertyListValue]
    ) -> PropertyListValue {
        .dictionary(generic("\(identifier).\(name)", type).merging(keys) { $1 })
    }

    private func generic(_ identifier: String, _ type: String) -> [String: PropertyListValue] {
        [
            "PayloadType": .string(type), "PayloadVersion": .integer(1), "PayloadIdentifier": .string(identifier),
            "PayloadUUID": .string(Self.uuid(identifier)),
        ]
    }

    /// A UUID derived from the identifier (version 8, RFC 9562 §5.8).
    private static func uuid(_ identifier: String) -> String {
        var bytes = Array(SHA256.hash(data: Data("profile \(identifier)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]]
            .map { Array($0).hexadecimal.uppercased() }.joined(separator: "-")
    }
}

extension PropertyListValue {
    fileprivate static func strings(_ texts: [String]) -> Self { .array(texts.map(PropertyListValue.string)) }
}
