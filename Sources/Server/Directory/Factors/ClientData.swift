import Foundation

/// What a browser says about a signature that it asked an authenticator for: where, and for which challenge. WebAuthn
/// Level 2 §5.8.1.
struct ClientData: Decodable {
    enum Purpose: String {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    private let type: String
    let challenge: String
    private let origin: String
    private let crossOrigin: Bool?
    private let tokenBinding: TokenBinding?

    /// That the connection is bound to a key of the browser. RFC 8471, which this server does not speak.
    private struct TokenBinding: Decodable {
        let status: String
    }

    /// Browsers send some hundred bytes.
    private static let bytesMax = 4_096

    /// - Parameter json: the bytes as the browser sent them, because their hash is part of what is signed.
    init(_ json: [UInt8]) throws(PasskeyRefusal) {
        guard json.count <= Self.bytesMax else { throw .malformed("the client data is too long") }
        do {
            self = try JSONDecoder().decode(ClientData.self, from: Data(json))
        } catch {
            throw .malformed("the client data is not the JSON object of a browser")
        }
    }

    func check(_ purpose: Purpose, at party: RelyingParty) throws(PasskeyRefusal) {
        guard type == purpose.rawValue else { throw .wrongType }
        guard origin == party.origin, crossOrigin != true else { throw .wrongOrigin }
        // Then somebody in between ended the browser's connection. §7.1 step 10, §7.2 step 14.
        guard tokenBinding?.status != "present" else { throw .malformed("it is from a connection with token binding") }
    }
}
