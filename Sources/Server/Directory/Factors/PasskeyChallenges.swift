import Crypto
import Foundation
import Ground
import Storage

/// The random challenges that passkeys sign. WebAuthn Level 2 §13.4.3.
///
/// A challenge carries its own end and a code that only this server can make, for one browser and session. So showing a
/// page writes nothing, and only a challenge that was answered is remembered, until its end.
package struct PasskeyChallenges: Sendable {
    package let party: RelyingParty
    private let key: SymmetricKey

    /// Seconds in which a challenge has to be answered.
    package static let lifetime: TimeInterval = 300

    private static let randomCount = 16
    private static let timeCount = 8

    /// - Parameter key: the same on all nodes of a server, and known to nobody else.
    package init(party: RelyingParty, key: SymmetricKey) {
        self.party = party
        self.key = key
    }

    /// - Parameter holder: what only this browser in its present session has.
    /// - Returns: base64url, 75 characters.
    package func make(for holder: String, at now: Date, from surroundings: Surroundings) -> String {
        let end = UInt64(max(0, now.addingTimeInterval(Self.lifetime).timeIntervalSince1970))
        let head = surroundings.randomBytes(Self.randomCount) + withUnsafeBytes(of: end.bigEndian) { Array($0) }
        return Data(head + code(of: head, for: holder)).base64URLEncoded
    }

    /// Checks a challenge that has come back, without spending it.
    func check(_ text: String, for holder: String, at now: Date) throws(PasskeyRefusal) {
        guard let bytes = Data(base64URLEncoded: text).map({ Array($0) }),
            bytes.count == Self.randomCount + Self.timeCount + SHA256.byteCount
        else { throw .wrongChallenge }
        let head = Array(bytes.prefix(Self.randomCount + Self.timeCount))
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                bytes.suffix(SHA256.byteCount), authenticating: Self.message(head, holder), using: key)
        else { throw .wrongChallenge }
        guard now < Self.end(of: head), Self.end(of: head) <= now.addingTimeInterval(Self.lifetime) else {
            throw .expiredChallenge
        }
    }

    /// Remembers that a challenge was answered.
    /// - Returns: false if it was answered before.
    func spend(_ text: String, at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try UsedAssertion.note(
            SecretHash(of: "passkey \(text)"), until: now.addingTimeInterval(Self.lifetime), at: now, in: transaction)
    }

    /// What authenticators know a person by: 32 bytes that say nothing about who it is. WebAuthn Level 2 §14.6.1.
    package func userHandle(of person: PersonID) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("user handle \(person.rawValue)".utf8), using: key))
    }

    private func code(of head: [UInt8], for holder: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Self.message(head, holder), using: key))
    }

    private static func message(_ head: [UInt8], _ holder: String) -> Data {
        Data("challenge ".utf8) + Data(head) + Data(holder.utf8)
    }

    private static func end(of head: [UInt8]) -> Date {
        Date(timeIntervalSince1970: Double(head.suffix(timeCount).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    }
}
