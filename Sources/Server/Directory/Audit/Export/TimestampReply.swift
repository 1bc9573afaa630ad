import Foundation

/// The answer of a timestamp authority, taken apart as far as it says what was stamped and when. RFC 3161 §2.4.2.
///
/// Whether the signature is right, and whose it is, is not asked here: that is for whoever trusts the authority, with a
/// program that did not come from us (`openssl ts -verify`).
package struct TimestampReply: Equatable, Sendable {
    /// What was stamped.
    package let digest: [UInt8]
    package let time: Date

    package enum Problem: Error, Equatable, Sendable {
        case unreadable
        /// The authority has refused; its status.
        case refused(Int)
        case otherDigest
    }

    private static let signedData: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]
    private static let timestampInfo: [UInt8] = [
        0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x04,
    ]
    /// SHA-256.
    static let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]

    /// - Throws: ``Problem``
    package init(_ data: Data) throws {
        var file = DERReader(Array(data))
        var response = try file.enter(DERReader.sequence)
        guard file.isAtEnd else { throw Problem.unreadable }
        var status = try response.enter(DERReader.sequence)
        let code = try status.take(DERReader.integer)
        // 0: granted; 1: granted with modifications.
        guard code == [0] || code == [1] else { throw Problem.refused(Int(code.first ?? 255)) }
        var content = try response.enter(DERReader.sequence)
        guard try content.take(DERReader.identifier) == Self.signedData else { throw Problem.unreadable }
        var wrapped = try content.enter(DERReader.context0)
        var signed = try wrapped.enter(DERReader.sequence)
        _ = try signed.take(DERReader.integer)
        _ = try signed.take(DERReader.set)
        var inner = try signed.enter(DERReader.sequence)
        guard try inner.take(DERReader.identifier) == Self.timestampInfo else { throw Problem.unreadable }
        var octets = try inner.enter(DERReader.context0)
        var info = DERReader(try octets.take(DERReader.octets))
        var fields = try info.enter(DERReader.sequence)
        _ = try fields.take(DERReader.integer)
        _ = try fields.take(DERReader.identifier)
        var imprint = try fields.enter(DERReader.sequence)
        var algorithm = try imprint.enter(DERReader.sequence)
        guard try algorithm.take(DERReader.identifier) == Self.sha256 else { throw Problem.otherDigest }
        digest = try imprint.take(DERReader.octets)
        guard digest.count == 32 else { throw Problem.otherDigest }
        _ = try fields.take(DERReader.integer)
        time = try Self.time(String(decoding: try fields.take(DERReader.generalizedTime), as: UTF8.self))
    }

    /// `20261125041500Z`, perhaps with a fraction of a second, which is left out.
    private static func time(_ text: String) throws -> Date {
        guard let match = text.wholeMatch(of: /(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z/),
            let date = try? Date(
                "\(match.1)-\(match.2)-\(match.3)T\(match.4):\(match.5):\(match.6)Z", strategy: .iso8601)
        else { throw Problem.unreadable }
        return date
    }
}

/// The request for a timestamp. RFC 3161 §2.4.1.
package enum TimestampQuery {
    /// - Parameters:
    ///   - digest: of SHA-256.
    ///   - nonce: by which the answer is known to be new; eight bytes.
    package static func bytes(for digest: [UInt8], nonce: [UInt8]) -> [UInt8] {
        func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            precondition(content.count < 128, "all values of a request are short")
            return [tag, UInt8(content.count)] + content
        }
        let algorithm = value(DERReader.sequence, value(DERReader.identifier, TimestampReply.sha256) + [0x05, 0x00])
        let imprint = value(DERReader.sequence, algorithm + value(DERReader.octets, digest))
        // A positive integer in its shortest form: its first byte is between 1 and 127.
        let positive = [nonce[0] & 0x7f | 0x01] + nonce.dropFirst()
        return value(
            DERReader.sequence,
            value(DERReader.integer, [1]) + imprint + value(DERReader.integer, positive) + [0x01, 0x01, 0xff])
    }
}

/// Reads values of ASN.1 in DER, one after the other.
private struct DERReader {
    static let integer: UInt8 = 0x02
    static let octets: UInt8 = 0x04
    static let identifier: UInt8 = 0x06
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
    static let context0: UInt8 = 0xa0

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func enter(_ tag: UInt8) throws -> DERReader { DERReader(try take(tag)) }

    /// The content of the next value, which must have this tag.
    mutating func take(_ tag: UInt8) throws -> [UInt8] {
        guard rest.popFirst() == tag, let first = rest.popFirst() else { throw TimestampReply.Problem.unreadable }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7f)
            guard (1...4).contains(count), rest.count >= count else { throw TimestampReply.Problem.unreadable }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { throw TimestampReply.Problem.unreadable }
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }
}
