import Crypto
import Foundation
import Ground
import LanyardClient

/// Turns values into text that only this app can read or make: AES-256-GCM under a key of its own for each purpose.
struct Seal: Sendable {
    private let key: SymmetricKey

    init(secret: SymmetricKey, purpose: String) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Data("lanyard \(purpose)".utf8), outputByteCount: 32)
    }

    func seal(_ value: some Encodable) throws -> String {
        let box = try AES.GCM.seal(JSONEncoder().encode(value), using: key)
        return box.combined!.base64URLEncoded  // there is one for nonces of the usual size
    }

    /// Nil for whatever this app has not sealed for this purpose.
    func open<Value: Decodable>(_ text: String, as type: Value.Type) -> Value? {
        guard let data = Data(base64URLEncoded: text[...]), let box = try? AES.GCM.SealedBox(combined: data),
            let json = try? AES.GCM.open(box, using: key)
        else { return nil }
        return try? JSONDecoder().decode(Value.self, from: json)
    }
}
