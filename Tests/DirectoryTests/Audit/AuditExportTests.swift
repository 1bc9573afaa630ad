import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct AuditExportTests {
    /// The lines of an export of entries 4 to 12, with a timestamp for entry 7.
    private static func lines(of school: School) async throws -> [String] {
        let (organization, now) = (school.organization.id, school.fixed.now)
        return try await school.database.write { transaction in
            for index in 1...12 {
                try AuditEntry(
                    .personChanged, by: .operator, on: "person:\(index)", outcome: .done,
                    detail: "größe \"\(index)\"\\",
                    from: .commandLine
                ).append(to: organization, at: now.addingTimeInterval(TimeInterval(index)), in: transaction)
            }
            let hash = try #require(try AuditRecord.hash(at: 7, of: organization, in: transaction))
            let reply = DER.timestampReply(for: hash, at: "20260901080000Z")
            let anchor = AuditExport.Anchor(
                anchors: 7, time: Int(try TimestampReply(Data(reply)).time.timeIntervalSince1970),
                reply: Data(reply).base64EncodedString())
            let previous = try #require(try AuditRecord.hash(at: 3, of: organization, in: transaction))
            let header = try AuditExport.line(
                AuditExport.Header(organization: "u", name: "Maple", first: 4, previousHash: Self.text(previous)))
            let entries = try AuditRecord.export(
                of: organization, after: 3, limit: 100, bytesMax: .max, in: transaction)
            let anchorLine = try AuditExport.line(anchor)
            let written = try entries.flatMap { try [AuditExport.line($0)] + ($0.number == 7 ? [anchorLine] : []) }
            let end = AuditExport.End(entries: entries.count, anchors: [anchorLine], header: header)
            return [header] + written + [try AuditExport.line(end)]
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    private func defect(_ lines: [String]) -> AuditExportVerifier.Defect? {
        do {
            var verifier = AuditExportVerifier()
            for line in lines { try verifier.take(line) }
            try verifier.finish()
            return nil
        } catch let defect as AuditExportVerifier.Defect {
            return defect
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test("a part of a chain verifies by itself, with its timestamp", arguments: TestDatabase.available)
    func whole(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let lines = try await Self.lines(of: try await School.insert(in: database))
            #expect(lines.count == 12)
            #expect(defect(lines) == nil)
        }
    }

    @Test("any line that was changed, taken out, doubled or moved is found, and named")
    func touched() async throws {
        try await TestDatabase.sqlite.with { database in
            let lines = try await Self.lines(of: try await School.insert(in: database))
            for index in lines.indices {
                var missing = lines
                missing.remove(at: index)
                // Without a timestamp's line everything fits but the last line, which counts them.
                let isAnchor = lines[index].hasPrefix(#"{"anchors":7"#)
                #expect(defect(missing)?.line == (isAnchor ? lines.count - 1 : index + 1), "\(lines[index])")
                var doubled = lines
                doubled.insert(lines[index], at: index)
                #expect(
                    defect(doubled)?.line == (isAnchor ? lines.count + 1 : index + 2), "\(lines[index])")
                if index + 1 < lines.count {
                    var moved = lines
                    moved.swapAt(index, index + 1)
                    // A timestamp may not stand after a later entry, which itself is still in order.
                    #expect(defect(moved)?.line == (isAnchor ? index + 2 : index + 1), "\(lines[index])")
                }
                #expect(defect(Array(lines.prefix(index)))?.line == index + 1)
            }
        }
    }

    @Test("any changed character is found at its line")
    func characters() async throws {
        try await TestDatabase.sqlite.with { database in
            let lines = try await Self.lines(of: try await School.insert(in: database))
            for (index, line) in lines.enumerated() {
                let characters = Array(line)
                for position in characters.indices {
                    var changed = characters
                    changed[position] = characters[position] == "1" ? "2" : "1"
                    var touched = lines
                    touched[index] = String(changed)
                    // The last line alone has the hash of the first: either of the two can have been changed. Within a
                    // timestamp, what its authority has signed is verified with its certificate.
                    let found = defect(touched)?.line
                    // The hash in the first line is that before the first entry, which then does not fit it.
                    let allowed: Set<Int> =
                        switch index {
                        case 0: [1, 2]
                        case lines.count - 1: [1, lines.count]
                        default: [index + 1, lines.count]
                        }
                    #expect(found.map(allowed.contains) == true, "line \(index + 1), character \(position)")
                    if line.hasPrefix(#"{"action""#) { #expect(found == index + 1) }
                }
                for text in [line + " ", " " + line, line.replacing(":", with: ": ", maxReplacements: 1), ""] {
                    var touched = lines
                    touched[index] = text
                    #expect(defect(touched)?.line == index + 1)
                }
            }
        }
    }

    @Test("a page of long entries ends sooner, and has one entry at least", arguments: TestDatabase.available)
    func longEntries(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let numbers = try await database.write { transaction in
                for index in 0..<250 {
                    try AuditEntry(
                        .signIn, by: .system, on: "server", outcome: .done,
                        detail: index < 200 ? "" : String(repeating: "x", count: 1_000), from: .system
                    ).append(to: nil, at: FixedSurroundings.start, in: transaction)
                }
                return try [(0, 5), (0, 1_000), (200, 10), (200, 1), (249, 100), (250, 100)].map { after, kilobytes in
                    try AuditRecord.export(
                        of: nil, after: after, limit: 230, bytesMax: kilobytes * 1_000, in: transaction
                    ).map(\.number)
                }
            }
            #expect(
                numbers == [
                    Array(1...205), Array(1...230), Array(201...210), [201], [250], [],
                ])
        }
    }

    @Test("numbers that no export has are defects")
    func numbers() async throws {
        try await TestDatabase.sqlite.with { database in
            let lines = try await Self.lines(of: try await School.insert(in: database))
            for number in [Int.max, Int.max - 1, .min, 1 << 54] {
                var touched = lines
                touched[1] = lines[1].replacing(/"at":[0-9]+/, with: #""at":\#(number)"#)
                #expect(defect(touched)?.line == 2, "\(number)")
                touched = lines
                touched[0] = lines[0].replacing(/"first":[0-9]+/, with: #""first":\#(number)"#)
                #expect(defect(touched)?.line == 1, "\(number)")
            }
        }
    }

    @Test("only answers of an authority that grant a timestamp are taken")
    func replies() {
        let digest = [UInt8](repeating: 9, count: 32)
        let reply = DER.timestampReply(for: digest, at: "20261125041500.25Z")
        let read = try? TimestampReply(Data(reply))
        #expect(read?.digest == digest && read?.time == Date(timeIntervalSince1970: 1_795_580_100))
        #expect(throws: TimestampReply.Problem.refused(2)) {
            try TimestampReply(Data(DER.timestampReply(for: digest, at: "20261125041500Z", status: 2)))
        }
        #expect(throws: TimestampReply.Problem.otherDigest) {
            try TimestampReply(Data(DER.timestampReply(for: [1, 2], at: "20261125041500Z")))
        }
        #expect(throws: TimestampReply.Problem.unreadable) {
            try TimestampReply(Data(DER.timestampReply(for: digest, at: "yesterday")))
        }
        for count in reply.indices {
            #expect(throws: TimestampReply.Problem.self) { try TimestampReply(Data(reply.prefix(count))) }
        }
        #expect(throws: TimestampReply.Problem.self) { try TimestampReply(Data(reply + [0])) }
    }
}
