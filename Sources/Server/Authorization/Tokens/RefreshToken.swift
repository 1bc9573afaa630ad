import Foundation
import Ground

/// A refresh token: 256 random bits in the shape of an access token, with `r` in front.
struct RefreshToken: Sendable {
    let text: String
    var hash: SecretHash { SecretHash(of: text) }

    init(from surroundings: Surroundings) {
        let bytes = surroundings.randomBytes(32)
        let letters = surroundings.randomBytes(4).map { Character(UnicodeScalar(UInt8(ascii: "a") + $0 % 26)) }
        text = "r\(Array(bytes[0..<16]).hexadecimal).0.\(String(letters)).\(Data(bytes[16...]).base64URLEncoded)"
    }
}
