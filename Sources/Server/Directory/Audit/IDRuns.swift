import Storage

/// Ids of records, as the audit trail has them: runs of numbers without a gap, such as `12-40,42,45-340`. Records that
/// were imported together have numbers that follow each other, so that a page of a thousand takes a few bytes.
package struct IDRuns: Equatable, Sendable {
    package let runs: [ClosedRange<Int64>]

    /// - Parameter ids: in any order.
    package init(_ ids: some Sequence<Int64>) {
        var runs: [ClosedRange<Int64>] = []
        for id in ids.sorted() {
            guard let last = runs.last, id == last.upperBound || id - 1 == last.upperBound else {
                runs.append(id...id)
                continue
            }
            runs[runs.count - 1] = last.lowerBound...id
        }
        self.runs = runs
    }

    /// - Returns: nil for what ``text`` has not written.
    package init?(_ text: some StringProtocol) {
        guard text != Self.none else {
            runs = []
            return
        }
        var runs: [ClosedRange<Int64>] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last
            else { return nil }
            runs.append(first...last)
        }
        self.runs = runs
    }

    private static let none = "none"

    package var text: String {
        guard !runs.isEmpty else { return Self.none }
        return runs.map { $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ",")
    }

    package func contains(_ id: Int64) -> Bool { runs.contains { $0.contains(id) } }

    /// The mentions by which an entry with these ids is found.
    package func mentions(of records: AuditMention.Records) -> [AuditMention] {
        guard let first = runs.first, let last = runs.last else { return [] }
        return AuditMention.blocks(of: records, from: first.lowerBound, through: last.upperBound)
    }
}
