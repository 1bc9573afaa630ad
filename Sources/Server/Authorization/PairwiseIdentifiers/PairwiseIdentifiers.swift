import Crypto
import CryptoExtras
import Directory
import Foundation
import Ground
import Storage

/// The public ids of people for one team: pairwise, stable for life, and reversible by the server only.
///
/// The internal id, 64 bits of organization and 64 bits of person, is encrypted as one AES block under the team's key.
/// Nothing is stored, and two teams cannot match their records. An id of another team decrypts to nonsense, one of
/// another organization to that organization; both are refused without a look-up.
///
/// The formats are those of the service that we are compatible with. The id of a managed account has 52 characters: six
/// digits, a dot, 40 characters that are the base64 of 30 printable ones, a dot, the base64 of three more. The digits
/// and the last three characters are the same for the whole team. The 30 characters are the block, as 26 base32
/// characters, and four more that belong to the team. The id of a personal account has 44 characters: six digits, a
/// dot, the block as 32 hexadecimal digits, a dot, four digits. The first and the last digits belong to the team.
package struct PairwiseIdentifiers: Sendable {
    private let key: SymmetricKey
    /// "dddddd."
    private let head: [UInt8]
    /// Four characters that make the block's 26 up to 30.
    private let filler: [UInt8]
    /// ".xxxx"
    private let tail: [UInt8]
    /// ".dddd", for personal accounts.
    private let personalTail: [UInt8]

    package static let keyBytes = 16
    package static let length = 52
    package static let personalLength = 44

    /// - Parameter key: the key of the team, 16 bytes.
    package init(key: [UInt8]) {
        self.key = SymmetricKey(data: key)
        // The team's parts of the ids are derived from its key, so that they reveal nothing and need not be stored.
        let marks = Array(HMAC<SHA256>.authenticationCode(for: Data("identifier marks".utf8), using: self.key))
        let number = marks[0..<4].reduce(0) { $0 << 8 | Int($1) } % 1_000_000
        head = Array(String(repeating: "0", count: 6 - String(number).count).utf8) + Array("\(number).".utf8)
        let last = marks[11..<15].reduce(0) { $0 << 8 | Int($1) } % 10_000
        personalTail = Array(".\(String(repeating: "0", count: 4 - String(last).count))\(last)".utf8)
        filler = marks[4..<8].map { Self.alphabet[Int($0) % 32] }
        tail = [UInt8(ascii: ".")] + Self.base64(marks[8..<11].map { Self.alphabet[Int($0) % 32] })
    }

    /// Base32 (RFC 4648): its characters never give `+` or `/` when they are encoded in base64.
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    private static func base64(_ bytes: [UInt8]) -> [UInt8] { Array(Data(bytes).base64EncodedData()) }

    /// The id of a person: 52 characters of `[A-Za-z0-9.]`, or 44 if there is no organization.
    package func identifier(of person: PersonID, in organization: OrganizationID?) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 16)
        for index in 0..<8 {
            block[index] = UInt8(truncatingIfNeeded: (organization?.rawValue ?? 0) >> (56 - 8 * index))
            block[8 + index] = UInt8(truncatingIfNeeded: person.rawValue >> (56 - 8 * index))
        }
        // Fails only for blocks and keys of the wrong size.
        try! AES.permute(&block, key: key)
        guard organization != nil else { return head + Array(block.hexadecimal.utf8) + personalTail }
        var characters = Self.base32(block)
        characters += filler
        var identifier: [UInt8] = []
        identifier.reserveCapacity(Self.length)
        identifier += head
        // For 30 such characters, base64 and base64url are the same.
        identifier.append(base64URL: characters)
        identifier += tail
        return identifier
    }

    package func text(of person: PersonID, in organization: OrganizationID?) -> String {
        String(decoding: identifier(of: person, in: organization), as: UTF8.self)
    }

    /// The ids by which this team hands people over to another one. They are specific to the two teams.
    /// - Parameter team: ``Team/publicID`` of the other team.
    package func transfer(to team: String) -> PairwiseIdentifiers {
        let code = HMAC<SHA256>.authenticationCode(for: Data("transfer to team \(team)".utf8), using: key)
        return PairwiseIdentifiers(key: Array(code.prefix(Self.keyBytes)))
    }

    /// The person of an identifier; nil if it is not one of this team's for that organization.
    package func person(_ identifier: String, in organization: OrganizationID?) -> PersonID? {
        guard let (person, owner) = decode(identifier), owner == organization else { return nil }
        return person
    }

    /// The person of an identifier, in any organization; nil if it is not one of this team's, or there is no such
    /// person.
    package func person(_ identifier: String, in transaction: some Transaction) throws -> Person? {
        guard let (id, owner) = decode(identifier), let person = try Person.find(id, in: transaction),
            person.organizationID == owner
        else { return nil }
        return person
    }

    private func decode(_ identifier: String) -> (person: PersonID, organization: OrganizationID?)? {
        let bytes = Array(identifier.utf8)
        let isPersonal = bytes.count == Self.personalLength
        guard bytes.starts(with: head), var block = isPersonal ? personalBlock(bytes) : managedBlock(bytes) else {
            return nil
        }
        try! AES.inversePermute(&block, key: key)  // as above
        let organization = block[0..<8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let person = block[8..<16].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard isPersonal ? organization == 0 : organization > 0, person > 0 else { return nil }
        return (PersonID(rawValue: person), isPersonal ? nil : OrganizationID(rawValue: organization))
    }

    private func managedBlock(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count == Self.length, bytes.suffix(tail.count).elementsEqual(tail),
            let inner = Data(base64Encoded: Data(bytes[7..<47])), inner.count == 30,
            inner.suffix(4).elementsEqual(filler)
        else { return nil }
        return Self.decodeBase32(inner.prefix(26))
    }

    private func personalBlock(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count == Self.personalLength, bytes.suffix(personalTail.count).elementsEqual(personalTail),
            let block = [UInt8](hexadecimal: bytes[7..<39]), block.hexadecimal.utf8.elementsEqual(bytes[7..<39])
        else { return nil }
        return block
    }

    /// 16 bytes as 26 base32 characters; the last two bits are zero.
    private static func base32(_ block: [UInt8]) -> [UInt8] {
        var characters: [UInt8] = []
        characters.reserveCapacity(30)
        var buffer: UInt32 = 0
        var bits = 0
        for byte in block {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                characters.append(alphabet[Int(buffer >> UInt32(bits)) & 31])
            }
        }
        characters.append(alphabet[Int(buffer << UInt32(5 - bits)) & 31])
        return characters
    }

    private static func decodeBase32(_ characters: Data) -> [UInt8]? {
        var block: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for character in characters {
            let value: UInt8
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): value = character - UInt8(ascii: "2") + 26
            default: return nil
            }
            buffer = buffer << 5 | UInt32(value)
            bits += 5
            if bits >= 8 {
                bits -= 8
                block.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        // Only one spelling is valid: the one whose spare bits are zero.
        guard block.count == 16, buffer & ((1 << UInt32(bits)) - 1) == 0 else { return nil }
        return block
    }
}
