import ExtensionVault
import Ground
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// A server's registration of this device's key as the device of one person.
struct DeviceRegistration: Codable, Equatable, Sendable {
    /// People call it pairing, and the file is called so on their devices.
    private static let fileName = "pairing"

    /// The server's base URL.
    let server: String
    /// The server's identifier for the device.
    let device: String
    /// The certificate in PEM, if the server issued one.
    var certificate: String?

    static func find(in vault: Vault) throws -> DeviceRegistration? {
        try vault.read(fileName).flatMap { try? JSONDecoder().decode(DeviceRegistration.self, from: $0) }
    }

    static func remove(from vault: Vault) { vault.remove(fileName) }

    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// Sends the public key and the person's one-time code to the server, and saves the registration before returning.
    /// - Parameter registration: the registration URL, which ends in `/device-registration`.
    /// - Throws: ``Refusal``, ``HTTPFailure``, ``Vault/Locked``
    static func register(
        at registration: URL, code: String, name: String, key: DeviceKey, facts: DeviceFacts, authorities: [String],
        http: HTTPClient, in vault: Vault
    ) async throws -> DeviceRegistration {
        guard registration.isSafe else { throw Refusal(description: "\(registration) is no https URL.") }
        let body: JSONWebToken.Object = [
            "code": .string(code), "publicKey": .dictionary(key.publicJWK.mapValues { .string($0) }),
            "csr": .string(try key.signingRequest(commonName: name)), "name": .string(name),
            "facts": .dictionary(facts.claims),
        ]
        var request = HTTPRequest(registration)
        request.body = try JSONEncoder().encode(body)
        request.headers = [HeaderField("Content-Type", "application/json"), HeaderField("Accept", "application/json")]
        request.certificateAuthorities = authorities
        let reply = try await http.send(request)
        struct Answer: Decodable {
            let device: String
            let certificate: String?
        }
        guard reply.status == 201, let answer = try? JSONDecoder().decode(Answer.self, from: reply.body) else {
            let refusal = try? JSONDecoder().decode(Provider.Refusal.self, from: reply.body)
            throw Refusal(
                description: "\(registration.place) does not take this device (status \(reply.status)). "
                    + (refusal?.description ?? "Is the address right?"))
        }
        let made = DeviceRegistration(
            server: server(of: registration), device: answer.device, certificate: answer.certificate)
        try vault.write(JSONEncoder().encode(made), to: fileName)
        return made
    }

    /// The server's base URL, derived from its registration URL.
    static func server(of registration: URL) -> String {
        var base = registration.absoluteString[...]
        for end in ["/", "/device-registration", "/"] where base.hasSuffix(end) { base = base.dropLast(end.count) }
        return String(base)
    }

    /// Signs the device's user in to the server. The session cookie goes into the web session's jar.
    /// - Returns: whether the server agreed.
    func signIn(
        key: DeviceKey, facts: DeviceFacts, settings: Settings, http: HTTPClient, surroundings: Surroundings
    ) async -> Bool {
        do {
            guard let url = URL(string: "\(server)/device-session") else { return false }
            let assertion = try key.deviceSession(
                device: device, audience: server, facts: facts, surroundings: surroundings)
            var request = HTTPRequest(url)
            request.body = Data(assertion.utf8)
            request.headers = [HeaderField("Content-Type", "application/jwt")]
            request.certificateAuthorities = settings.certificateAuthorities
            request.hasCookies = true
            let reply = try await http.send(request)
            if reply.status == 204 { return true }
            let refusal = try? JSONDecoder().decode(Provider.Refusal.self, from: reply.body)
            writeToLog(
                "\(url.place) does not sign this device in (status \(reply.status)). \(refusal?.description ?? "")")
        } catch {
            writeToLog("this device is not signed in: \(error)")
        }
        return false
    }

    /// The machine's host name, or `Linux` if it cannot be read.
    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "Linux" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
