import Crypto
import Foundation
import Ground

/// A part of an audit trail as a file that proves by itself that nothing in it was changed: one JSON object a line.
///
/// The first line says what the file is. Each entry follows with all that its hash covers, and with the hash. If an
/// authority has given a timestamp for the hash of an entry, the timestamp comes after it. The last line says how many
/// entries there are. Neither a database nor Lanyard is needed to verify the file:
/// docs/decisions/0046-the-trail-as-a-file.md says how a hash is made.
package enum AuditExport {
    package struct Header: Codable, Equatable, Sendable {
        package let lanyardAuditExport: Int
        /// The organization's id; nil for the trail of the server itself.
        package let organization: String?
        package let name: String
        /// The number of the first entry.
        package let first: Int
        /// The hash of the entry before the first one, in hexadecimal; empty if the first one is the first of the
        /// trail.
        package let previousHash: String

        package init(organization: String?, name: String, first: Int, previousHash: String) {
            lanyardAuditExport = AuditExport.version
            self.organization = organization
            self.name = name
            self.first = first
            self.previousHash = previousHash
        }
    }

    package struct Entry: Codable, Equatable, Sendable {
        package let number: Int
        /// Unix seconds, UTC.
        package let at: Int
        package let actor: String
        package let action: String
        package let subject: String
        package let outcome: String
        package let detail: String
        package let origin: String
        /// In hexadecimal.
        package let hash: String

        package init(_ record: AuditRecord, hash: [UInt8]) {
            number = record.sequence
            at = Int(record.at.timeIntervalSince1970.rounded(.down))
            actor = record.actor
            action = record.action
            subject = record.subject
            outcome = record.outcome
            detail = record.detail
            origin = record.origin
            self.hash = hash.hexadecimal
        }

        var record: AuditRecord {
            AuditRecord(
                sequence: number, at: Date(timeIntervalSince1970: TimeInterval(at)), actor: actor, action: action,
                subject: subject, outcome: outcome, detail: detail, origin: origin)
        }
    }

    /// The answer of a timestamp authority to the hash of an entry. RFC 3161.
    package struct Anchor: Codable, Equatable, Sendable {
        package let anchors: Int
        /// The time that the authority gives, in Unix seconds.
        package let time: Int
        /// The whole answer, in base64.
        package let reply: String

        package init(anchors number: Int, time: Int, reply: String) {
            anchors = number
            self.time = time
            self.reply = reply
        }
    }

    package struct End: Codable, Equatable, Sendable {
        package let entries: Int
        package let anchors: Int
        /// SHA-256 of the first line, in hexadecimal: the hashes of the chain do not cover it.
        package let headerHash: String
        /// SHA-256 of the lines of all timestamps, each with its line end, in hexadecimal: the hashes of the chain do
        /// not cover them either.
        package let anchorsHash: String

        package init(entries: Int, anchors: [String], header: String) {
            self.entries = entries
            self.anchors = anchors.count
            headerHash = Array(SHA256.hash(data: Data(header.utf8))).hexadecimal
            anchorsHash = Array(SHA256.hash(data: Data(anchors.map { $0 + "\n" }.joined().utf8))).hexadecimal
        }
    }

    static let version = 1

    /// The only form of a line: keys in order, no spaces.
    package static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
