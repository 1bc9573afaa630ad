import Crypto
import Foundation
import Ground
import LanyardClient

/// Turns values into text that only this app can read or make: AES-256-GCM with a separate key for each purpose.
struct Seal: Sendable {
    private let key: SymmetricKey

    init(secret: SymmetricKey, purpose: String) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Data("lanyard \(purpose)".utf8), outputByteCount: 32)
    }

    func seal(_ value: some Encodable) throws -> String {
        let box = try AES.GCM.seal(JSONEncoder().encode(value), using: key)
        return box.combined!.base64URLEncoded  // not nil for nonces of the default size
    }

    /// Nil if this app has not sealed the text for this purpose.
    func open<Value: Decodable>(_ text: String, as type: Value.Type) -> Value? {
        guard let data = Data(base64URLEncoded: text[...]), let box = try? AES.GCM.SealedBox(combined: data),
            let json = try? AES.GCM.open(box, using: key)
        else { return nil }
        return try? JSONDecoder().decode(Value.self, from: json)
    }
}
