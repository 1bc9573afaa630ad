import Ground
import SingleSignOnExtension
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The result of pairing this device with a server, which signs the device's user in by its key from now on.
public struct PairedDevice: Encodable, Sendable {
    /// The server's base URL.
    public let server: String
    /// The server's identifier for the device, without line breaks or control characters.
    public let device: String
    /// The extension's data folder, where the pairing and the key are saved.
    public let folder: String

    /// Pairs this device for the current user, with the extension's key.
    /// - Parameters:
    ///   - extensionData: a profile's `ExtensionData`. `deviceRegistration` is the URL to register at, and
    ///     `certificateAuthorities` are trusted beside the system's.
    ///   - code: the one-time code that the server gave to the person.
    ///   - name: the name under which people find the device; nil for the host name.
    ///   - stateFolder: the broker's state folder; nil for its default.
    /// - Throws: an error whose description says what to do, if the profile's values cannot be used, the server refuses
    ///   or cannot be reached, or the keyring is locked. The code can be used again then, unless the server's answer
    ///   was lost.
    public static func pair(
        extensionData: [String: PropertyListValue], code: String, name: String?, stateFolder: String?
    ) async throws -> PairedDevice {
        let settings = try Settings(extensionData)
        guard let registration = settings.deviceRegistration.flatMap({ URL(string: $0) }) else {
            throw Settings.Problem(key: "deviceRegistration", remedy: "it is missing.")
        }
        let folder =
            stateFolder.map {
                ExtensionFolder(path: ExtensionProtocol.dataFolder(of: OpenIDExtension.identifier, in: $0))
            } ?? .ofUser
        let vault = Vault(folder)
        let pairing = try await Pairing.register(
            at: registration, code: code, name: name ?? Pairing.hostName, key: try DeviceKey.find(in: vault),
            facts: .read(), authorities: settings.certificateAuthorities,
            http: HTTPClient(now: Surroundings.system.now), in: vault)
        return PairedDevice(server: pairing.server, device: pairing.device.inOneLine(), folder: folder.path)
    }
}
