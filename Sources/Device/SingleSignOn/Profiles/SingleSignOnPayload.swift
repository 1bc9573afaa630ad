import SingleSignOnWire

/// A payload `com.apple.extensiblesso`: which extension answers for which URLs or hosts.
///
/// docs/specifications/extensible-single-sign-on.md, 1.
public struct SingleSignOnPayload: Equatable, Sendable {
    public static let type = "com.apple.extensiblesso"

    /// When the extension is asked.
    public enum Kind: Equatable, Sendable {
        /// Before a request leaves the device, for URLs with one of these prefixes.
        case redirect([URLPrefix])
        /// After a server's challenge, for these hosts or the realm.
        case credential(hosts: [HostPattern], realm: String?)
    }

    /// What happens to a request while the screen is locked.
    public enum ScreenLockedBehavior: String, CaseIterable, Sendable {
        case cancel = "Cancel"
        /// The request continues as if there were no extension.
        case doNotHandle = "DoNotHandle"
    }

    /// `PayloadUUID`.
    public let uuid: String
    /// The bundle identifier of the extension.
    public let extensionIdentifier: String
    /// The team of the extension; nil allows any team.
    public let teamIdentifier: String?
    public let kind: Kind
    /// Passed to the extension. Only `issuer` is read here, by which apps may name the provider
    /// (``MatchIndex/provider(for:)``).
    public let extensionData: [String: PropertyListValue]
    public let screenLockedBehavior: ScreenLockedBehavior
    /// Callers that get no answer from this extension, compared exactly.
    public let deniedBundleIdentifiers: Set<String>
}

extension SingleSignOnPayload {
    /// The prefixes of a redirect payload; empty for others.
    public var urls: [URLPrefix] {
        if case .redirect(let urls) = kind { urls } else { [] }
    }

    /// The patterns of a credential payload; empty for others.
    public var hosts: [HostPattern] {
        if case .credential(let hosts, _) = kind { hosts } else { [] }
    }

    /// The realm of a credential payload, if it has one.
    public var realm: String? {
        if case .credential(_, let realm) = kind { realm } else { nil }
    }
}
