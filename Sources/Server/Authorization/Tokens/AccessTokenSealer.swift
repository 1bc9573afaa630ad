import Crypto
import CryptoExtras
import Foundation
import Ground

/// Seals and opens access tokens.
package struct AccessTokenSealer: Sendable {
    private let encryption: SymmetricKey
    /// A code that was begun with its key and has no message yet. Each code is made with a copy, since beginning one hashes the key.
    private let authentication: HMAC<SHA256>
    /// `.0.`, the first letters of the key's id, and a dot. It tells which key sealed the token.
    private let middle: [UInt8]

    package init(_ key: ServerKeys.SealingKey) {
        let halves = key.key.withUnsafeBytes { Array($0) }
        encryption = SymmetricKey(data: halves[0..<32])
        authentication = HMAC(key: SymmetricKey(data: halves[32...]))
        middle = Array(".0.\(key.keyID.prefix(4).lowercased()).".utf8)
    }

    /// Seals a token. The block has the grant in eight bytes, the withheld scopes in three bits, 21 random bits, so that
    /// two tokens of the same second differ, and the expiry in five bytes.
    package func seal(_ token: AccessToken, salt: [UInt8]) -> String {
        let expiry = Int64(token.expiresAt.timeIntervalSince1970.rounded(.down))
        var block: [UInt8] = []
        block.reserveCapacity(16)
        for shift in stride(from: 56, through: 0, by: -8) {
            block.append(UInt8(truncatingIfNeeded: token.grantID.rawValue >> Int64(shift)))
        }
        block.append(contentsOf: salt.prefix(Self.saltBytes))
        block[8] &= ~Self.bits.reduce(0) { $0 | $1.bit }
        for (scope, bit) in Self.bits where token.withheld.contains(scope) { block[8] |= bit }
        for shift in stride(from: 32, through: 0, by: -8) {
            block.append(UInt8(truncatingIfNeeded: expiry >> Int64(shift)))
        }
        // Fails only for blocks and keys of the wrong size.
        try! AES.permute(&block, key: encryption)
        var text: [UInt8] = [UInt8(ascii: "a")]
        text.reserveCapacity(64)
        text.append(contentsOf: block.hexadecimal.utf8)
        text.append(contentsOf: middle)
        text.append(base64URL: code(of: block))
        return String(decoding: text, as: UTF8.self)
    }

    /// The first 16 bytes of the block's HMAC.
    private func code(of block: [UInt8]) -> [UInt8] {
        var authentication = authentication
        authentication.update(data: block)
        return authentication.finalize().withUnsafeBytes { Array($0.prefix(16)) }
    }

    /// Opens a token; nil unless this server sealed it.
    package func open(_ text: String) -> AccessToken? {
        let bytes = Array(text.utf8)
        guard bytes.count == 1 + 32 + middle.count + 22, bytes[0] == UInt8(ascii: "a"),
            bytes[33..<(33 + middle.count)].elementsEqual(middle), var block = [UInt8](hexadecimal: bytes[1..<33]),
            let mac = Data(base64URLEncoded: String(decoding: bytes[(33 + middle.count)...], as: UTF8.self))
        else { return nil }
        guard Self.equal(code(of: block), mac) else { return nil }
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
    private static func equal(_ left: [UInt8], _ right: Data) -> Bool {
        left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
