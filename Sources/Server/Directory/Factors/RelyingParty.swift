import Crypto
import Ground

/// The server as passkeys know it. WebAuthn Level 2 §4, "Relying Party".
package struct RelyingParty: Equatable, Sendable {
    /// The host of the base URL. Passkeys that were made for one host are of no use at another.
    package let id: String
    /// What browsers write into what they sign, such as `https://id.maple.example`.
    package let origin: String

    /// - Returns: nil if browsers have no passkeys for the address: it is not safe for secrets, or an IP address.
    package init?(baseURL: String) {
        guard let origin = WebOrigin(of: baseURL), origin.isSafeForSecrets, !Self.isAddress(origin.host) else {
            return nil
        }
        id = origin.host
        self.origin = origin.description
    }

    private static func isAddress(_ host: String) -> Bool {
        host.hasPrefix("[") || host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
    }

    /// The hash of the id, with which all that an authenticator signs begins. WebAuthn Level 2 §6.1.
    var idHash: [UInt8] { Array(SHA256.hash(data: Array(id.utf8))) }
}
