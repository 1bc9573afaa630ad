import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Payloads that are not installed any more, until their extensions are told.
struct RemovedPayloads {
    /// By UUID.
    private var lost: [String: SingleSignOnPayload] = [:]

    /// Compares two installations, of which `new` has replaced `old`.
    /// - Returns: the payloads whose removal their extensions are to be told now. None while a profile cannot be
    ///   read: it may be the one that holds the payload, and its extension would delete all its data for nothing.
    mutating func take(old: Installation, new: Installation) -> [SingleSignOnPayload] {
        let present = Set(new.payloads.map(\.uuid))
        for payload in old.payloads where !present.contains(payload.uuid) { lost[payload.uuid] = payload }
        for uuid in present { lost[uuid] = nil }
        guard new.areProfilesWhole else { return [] }
        defer { lost = [:] }
        return lost.values.filter { !new.hasInPlace(of: $0) }
    }
}

extension ExtensionRequest {
    /// The operation by which an extension is told that a profile is gone.
    /// docs/specifications/extensible-single-sign-on.md, 4.6.
    static let configurationRemoved = "configurationRemoved"

    /// Tells an extension that a payload is gone, so that it can delete what belongs to it.
    init(removalOf payload: SingleSignOnPayload) { self.init(Self.configurationRemoved, of: payload, options: [:]) }

    /// A request of the broker's own.
    init(_ operation: String, of payload: SingleSignOnPayload, options: [String: PropertyListValue]) {
        let broker = Caller(
            bundleIdentifier: "lanyard-broker", teamIdentifier: "", displayName: "Lanyard", isManaged: true,
            processIdentifier: getpid())
        self.init(
            id: 0, url: payload.urls.first?.text ?? "sso-realm:\(payload.realm ?? "")",
            operation: operation, headers: [], body: Data(), realm: payload.realm ?? "",
            extensionData: payload.extensionData, caller: broker, options: options, isUserInterfaceEnabled: false,
            isCredential: payload.urls.isEmpty)
    }
}
