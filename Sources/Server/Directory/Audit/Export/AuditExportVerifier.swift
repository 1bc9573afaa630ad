import Foundation
import Ground

/// Verifies an exported trail line by line, without anything else. The whole file is never in memory.
package struct AuditExportVerifier {
    /// Something that was changed, is missing, was added or stands at another place.
    package struct Defect: Error, Equatable, Sendable {
        /// From 1.
        package let line: Int
        package let reason: String
    }

    private var line = 0
    private var headerLine = ""
    package private(set) var header: AuditExport.Header?
    package private(set) var lastNumber = 0
    package private(set) var entries = 0
    package private(set) var anchors: [AuditExport.Anchor] = []
    private var anchorLines: [String] = []
    private var hash: [UInt8] = []
    /// The hash of the last entry, in hexadecimal; nil before the first one.
    package var lastHash: String? { entries == 0 ? nil : hash.hexadecimal }
    private var hasEnded = false
    /// Above this, whole numbers are not exact any more in the JSON of many programs.
    private static let numberMax = 1 << 53

    package init() {}

    /// - Parameter text: without the end of the line.
    /// - Throws: ``Defect``
    package mutating func take(_ text: String) throws {
        line += 1
        guard !hasEnded else { throw defect("stands after the last line") }
        guard header != nil else { return try takeHeader(text) }
        if let entry = decode(AuditExport.Entry.self, text) {
            try take(entry)
        } else if let anchor = decode(AuditExport.Anchor.self, text) {
            try take(anchor, text)
        } else if let end = decode(AuditExport.End.self, text) {
            try take(end)
        } else {
            throw defect("is no line of an exported trail, or was changed")
        }
    }

    /// - Throws: ``Defect`` if the last line is missing.
    package func finish() throws {
        guard hasEnded else {
            throw Defect(line: line + 1, reason: "is missing: the file was cut off after \(entries) entries")
        }
    }

    private mutating func takeHeader(_ text: String) throws {
        guard let found = decode(AuditExport.Header.self, text), found.lanyardAuditExport == AuditExport.version,
            (1...Self.numberMax).contains(found.first), let previous = [UInt8](hexadecimal: found.previousHash.utf8),
            previous.count == (found.first == 1 ? 0 : 32)
        else { throw defect("is not the first line of an exported trail, or was changed") }
        header = found
        headerLine = text
        hash = previous
        lastNumber = found.first - 1
    }

    private mutating func take(_ entry: AuditExport.Entry) throws {
        guard entry.at.magnitude <= Self.numberMax.magnitude else { throw defect("has a time that no clock shows") }
        guard entry.number == lastNumber + 1 else {
            throw defect("is entry \(entry.number), where \(lastNumber + 1) must stand")
        }
        let expected = entry.record.hash(after: hash)
        guard entry.hash == expected.hexadecimal else {
            throw defect(
                "does not fit its hash: entry \(entry.number), or what stands before it, was changed, or is missing")
        }
        hash = expected
        lastNumber = entry.number
        entries += 1
    }

    private mutating func take(_ anchor: AuditExport.Anchor, _ text: String) throws {
        guard entries > 0, anchor.anchors == lastNumber else {
            throw defect("is a timestamp for entry \(anchor.anchors), which does not stand before it")
        }
        guard let data = Data(base64Encoded: anchor.reply), let reply = try? TimestampReply(data) else {
            throw defect("is no answer of a timestamp authority")
        }
        guard reply.digest == hash else {
            throw defect("is a timestamp for another hash than that of entry \(anchor.anchors)")
        }
        guard Int(reply.time.timeIntervalSince1970) == anchor.time else {
            throw defect("gives another time than its timestamp has")
        }
        anchors.append(anchor)
        anchorLines.append(text)
    }

    private mutating func take(_ end: AuditExport.End) throws {
        guard end.entries == entries, end.anchors == anchors.count else {
            throw defect(
                "says \(end.entries) entries and \(end.anchors) timestamps, and \(entries) and \(anchors.count) are there"
            )
        }
        let expected = AuditExport.End(entries: entries, anchors: anchorLines, header: headerLine)
        guard end.headerHash == expected.headerHash else {
            throw Defect(line: 1, reason: "was changed, or line \(line), which has its hash")
        }
        guard end.anchorsHash == expected.anchorsHash else { throw defect("does not fit the timestamps before it") }
        hasEnded = true
    }

    private func defect(_ reason: String) -> Defect { Defect(line: line, reason: reason) }

    /// - Returns: nil unless the line is what an export writes, byte by byte.
    private func decode<T: Codable>(_ type: T.Type, _ text: String) -> T? {
        guard let value = try? JSONDecoder().decode(type, from: Data(text.utf8)),
            let again = try? AuditExport.line(value), again.utf8.elementsEqual(text.utf8)
        else { return nil }
        return value
    }
}
