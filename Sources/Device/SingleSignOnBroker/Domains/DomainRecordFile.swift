import Foundation
import SingleSignOn
import SingleSignOnWire

/// Where records last across a restart: JSON that only the user can have written.
struct DomainRecordFile {
    let path: String
    /// Under which rules domains are asked. What was found under others does not count.
    let rules: String

    private static let version = 1
    private static let bytesMax = 64 << 20
    /// How often in a row a domain may not have been reached: more than anybody can count in the time that an agreement
    /// lasts.
    private static let failures = 0...100_000
    /// How far clocks may be off.
    private static let tolerance: TimeInterval = 3_600

    private struct Content: Codable {
        let version: Int
        let rules: String
        let records: [DomainRecord]
    }

    private struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: if there is a file that does not count.
    func read(at time: Date) throws -> [DomainKey: DomainRecord] {
        guard let file = try OwnedFile.read(path, by: .thisUser, bytesMax: Self.bytesMax) else { return [:] }
        guard let content = try? JSONDecoder().decode(Content.self, from: file.data), content.version == Self.version
        else { throw Unusable(description: "it is damaged, or of another version") }
        guard content.rules == rules else { throw Unusable(description: "it was found under other rules") }
        // An agreement ends after ``DomainApproval/lifetime``, so an older look proves nothing. Any program of the user
        // can write this file: a number that no look leads to would stop the broker when it calculates with it.
        let times = time.addingTimeInterval(-DomainApproval.lifetime)...time.addingTimeInterval(Self.tolerance)
        let usable = content.records.filter {
            times.contains($0.approval.checkedAt) && Self.failures.contains($0.approval.failures)
                && $0.approval.approvedAt.map { [checkedAt = $0.approval.checkedAt] in $0 <= checkedAt } ?? true
        }
        return Dictionary(usable.map { ($0.key, $0) }) { first, _ in first }
    }

    func write(_ records: [DomainKey: DomainRecord]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let content = Content(
            version: Self.version, rules: rules, records: records.sorted { $0.key < $1.key }.map(\.value))
        try WholeFile.write(try encoder.encode(content), to: path, mode: 0o600, folderMode: 0o700)
    }
}
