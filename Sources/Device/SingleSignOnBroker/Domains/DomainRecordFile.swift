import Ground
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file that keeps records across a restart: JSON that only the user can write.
struct DomainRecordFile {
    let path: String
    /// The rules by which domains are asked, see ``AssociationRules/name``. Records made under others do not
    /// count.
    let rules: String

    private static let version = 1
    private static let bytesMax = 64 << 20
    /// The plausible numbers of failures in a row. More cannot happen in the time that an agreement lasts.
    private static let failures = 0...100_000
    /// By how many seconds a record may lie in the future, because clocks are corrected.
    private static let tolerance: TimeInterval = 3_600

    private struct Content: Codable {
        let version: Int
        let rules: String
        let records: [DomainRecord]
    }

    private struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    /// - Returns: the usable records; none if there is no file.
    /// - Throws: if the file is damaged, of another version, made under other rules, or writable by others.
    func read(at time: Date) throws -> [DomainKey: DomainRecord] {
        guard let file = try OwnedFile.read(path, by: .thisUser, bytesMax: Self.bytesMax) else { return [:] }
        guard let content = try? JSONDecoder().decode(Content.self, from: file.data), content.version == Self.version
        else { throw Unusable(description: "it is damaged, or of another version") }
        guard content.rules == rules else { throw Unusable(description: "it was found under other rules") }
        // An agreement ends after ``DomainApproval/lifetime``, so older records prove nothing. Any program of the user
        // can write this file, and numbers out of range would crash the broker when it calculates with them.
        let times = time.addingTimeInterval(-DomainApproval.lifetime)...time.addingTimeInterval(Self.tolerance)
        let usable = content.records.filter {
            times.contains($0.approval.checkedAt) && Self.failures.contains($0.approval.failures)
                && $0.approval.approvedAt.map { [checkedAt = $0.approval.checkedAt] in $0 <= checkedAt } ?? true
        }
        return Dictionary(usable.map { ($0.key, $0) }) { first, _ in first }
    }

    func write(_ records: [DomainKey: DomainRecord]) throws {
        let content = Content(
            version: Self.version, rules: rules, records: records.sorted { $0.key < $1.key }.map(\.value))
        try WholeFile.write(try JSONEncoder.stable.encode(content), to: path, mode: 0o600, folderMode: 0o700)
    }
}
