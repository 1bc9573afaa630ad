import Ground
import SingleSignOnExtension
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// This device, as the server knows it that signs its person in by it from now on.
public struct PairedDevice: Encodable, Sendable {
    /// The server's base URL.
    public let server: String
    /// By which the server knows the device, in one line.
    public let device: String
    /// Where the pairing is, and the key: of the extension whose broker keeps its state there.
    public let folder: String

    /// Pairs the device of the user who runs this, with the key that the extension has.
    /// - Parameters:
    ///   - extensionData: of a profile. `deviceRegistration` says where, `certificateAuthorities` who else vouches for it.
    ///   - code: the one-time code that the person has got.
    ///   - name: by which people recognize the device; nil for the machine's.
    ///   - stateFolder: where the broker keeps what is to be kept; nil for where one does that is told nothing else.
    /// - Throws: an error whose description says what to do, if the profile's words cannot be used, the server refuses or
    ///   cannot be reached, or the keyring is locked. The code is then as good as before, unless the server's answer was lost.
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
