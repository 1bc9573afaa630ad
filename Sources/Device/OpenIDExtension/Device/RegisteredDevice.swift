import ExtensionVault
import Ground
import SingleSignOnExtension
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// This device as a server has registered it, which signs the device's user in by its key from now on.
public struct RegisteredDevice: Encodable, Sendable {
    /// The server's base URL.
    public let server: String
    /// The server's identifier for the device, without line breaks or control characters.
    public let device: String
    /// The extension's data folder, where the registration and the key are saved.
    public let folder: String

    /// Registers this device for the current user, with the extension's key: `lanyard-sso pair`.
    /// - Parameters:
    ///   - extensionData: a profile's `ExtensionData`. `deviceRegistration` is the URL to register at, and
    ///     `certificateAuthorities` are trusted beside the system's.
    ///   - code: the one-time code that the server gave to the person.
    ///   - name: the name under which people find the device; nil for the host name.
    ///   - stateFolder: the broker's state folder; nil for its default.
    /// - Throws: an error whose description says what to do, if the profile's values cannot be used, the server refuses
    ///   or cannot be reached, or the keyring is locked. The code can be used again then, unless the server's answer
    ///   was lost.
    public static func register(
        extensionData: [String: PropertyListValue], code: String, name: String?, stateFolder: String?
    ) async throws -> RegisteredDevice {
        let settings = try Settings(extensionData)
        guard let registration = settings.deviceRegistration.flatMap({ URL(string: $0) }) else {
            throw Settings.Problem(key: "deviceRegistration", remedy: "it is missing.")
        }
        let folder =
            stateFolder.map {
                ExtensionFolder(path: ExtensionProtocol.dataFolder(of: OpenIDExtension.identifier, in: $0))
            } ?? .ofUser
        let vault = Vault(folder)
        let made = try await DeviceRegistration.register(
            at: registration, code: code, name: name ?? DeviceRegistration.hostName, key: try DeviceKey.find(in: vault),
            facts: .read(), authorities: settings.certificateAuthorities,
            http: HTTPClient(now: Surroundings.system.now), in: vault)
        return RegisteredDevice(server: made.server, device: made.device.inOneLine(), folder: folder.path)
    }
}
