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
    }
}
