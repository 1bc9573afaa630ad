import Crypto
import CryptoExtras
import Foundation
import Ground

/// Seals and opens access tokens.
package struct AccessTokenSealer: Sendable {
    private let encryption: SymmetricKey
    private let authentication: SymmetricKey
    /// `.0.`, the first letters of the key's id, and a dot. It tells which key sealed the token.
    private let middle: [UInt8]

    package init(_ key: ServerKeys.SealingKey) {
        let halves = key.key.withUnsafeBytes { Array($0) }
        encryption = SymmetricKey(data: halves[0..<32])
        authentication = SymmetricKey(data: halves[32...])
        middle = Array(".0.\(key.keyID.prefix(4).lowercased()).".utf8)
    }

    /// Seals a token. The block has the grant in eight bytes, the withheld scopes in three bits, 21 random bits, so that
    /// two tokens of the same second differ, and the expiry in five bytes.
    package func seal(_ token: AccessToken, salt: [UInt8]) -> String {
        let expiry = Int64(token.expiresAt.timeIntervalSince1970.rounded(.down))
        var block = (0..<8).map { UInt8(truncatingIfNeeded: token.grantID.rawValue >> (56 - 8 * $0)) }
        block += salt.prefix(Self.saltBytes)
        block[8] &= ~Self.bits.reduce(0) { $0 | $1.bit }
        for (scope, bit) in Self.bits where token.withheld.contains(scope) { block[8] |= bit }
        block += (3..<8).map { UInt8(truncatingIfNeeded: expiry >> (56 - 8 * $0)) }
        // Fails only for blocks and keys of the wrong size.
        try! AES.permute(&block, key: encryption)
        let mac = Data(HMAC<SHA256>.authenticationCode(for: Data(block), using: authentication)).prefix(16)
        return "a\(block.hexadecimal)\(String(decoding: middle, as: UTF8.self))\(mac.base64URLEncoded)"
    }

    /// Opens a token; nil unless this server sealed it.
    package func open(_ text: String) -> AccessToken? {
        let bytes = Array(text.utf8)
        guard bytes.count == 1 + 32 + middle.count + 22, bytes[0] == UInt8(ascii: "a"),
            bytes[33..<(33 + middle.count)].elementsEqual(middle), var block = [UInt8](hexadecimal: bytes[1..<33]),
            let mac = Data(base64URLEncoded: String(decoding: bytes[(33 + middle.count)...], as: UTF8.self))
        else { return nil }
        let expected = Data(HMAC<SHA256>.authenticationCode(for: Data(block), using: authentication)).prefix(16)
        guard Self.equal(expected, mac) else { return nil }
        try! AES.inversePermute(&block, key: encryption)  // as above
        let grant = block[0..<8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let expiry = block[11..<16].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let flags = block[8]
        return AccessToken(
            grantID: GrantID(rawValue: grant), expiresAt: Date(timeIntervalSince1970: Double(expiry)),
            withheld: ScopeSet(Self.bits.filter { flags & $0.bit != 0 }.map(\.scope)))
    }

    static let saltBytes = 3

    /// The scopes that can be withheld: those of userinfo, since a person's token is used for nothing else.
    private static let bits: [(scope: Scope, bit: UInt8)] = [(.name, 1), (.email, 2), (.roles, 4)]

    /// Compares in constant time.
    private static func equal(_ left: Data, _ right: Data) -> Bool {
        left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
