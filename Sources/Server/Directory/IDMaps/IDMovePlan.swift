import Foundation
import Storage

/// The moves of a map, each with the record that it is about; or what is wrong with them.
package struct IDMovePlan: Sendable {
    struct Step: Sendable {
        let move: IDMove
        let record: Int64
    }

    /// The moves of records that get another id; those that keep theirs are left out.
    let steps: [Step]
    /// What is wrong, by the index of the move. Of several things that are wrong with one move, it has the first.
    package let problems: [Int: IDMoveProblem]

    package init(
        _ moves: [IDMove], of organization: OrganizationID, in transaction: some Transaction
    ) throws {
        var steps: [Step] = []
        var problems: [Int: IDMoveProblem] = [:]
        for kind in IDMove.Kind.allCases {
            let indices = moves.indices.filter { moves[$0].kind == kind }
            guard !indices.isEmpty else { continue }
            let found = try Self.plan(
                indices.map { (index: $0, move: moves[$0]) }, Self.records(of: kind, in: organization, transaction))
            steps += found.steps
            problems.merge(found.problems) { first, _ in first }
        }
        self.steps = steps
        self.problems = problems
    }

    package var counts: [IDMove.Kind: Int] {
        Dictionary(steps.map { ($0.move.kind, 1) }, uniquingKeysWith: +)
    }

    /// The numbers of the records by their ids, also of those that are archived or deactivated: an import that names
    /// one brings it back.
    private static func records(
        of kind: IDMove.Kind, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> [String: Int64] {
        var records: [String: Int64] = [:]
        try transaction.forEach(
            "SELECT id, source_id FROM \(kind.rawValue) WHERE organization_id = $1 AND source_id IS NOT NULL",
            [organization]
        ) { records[try $0["source_id"]] = try $0["id"] }
        return records
    }

    private static func plan(
        _ moves: [(index: Int, move: IDMove)], _ records: [String: Int64]
    ) -> (steps: [Step], problems: [Int: IDMoveProblem]) {
        var problems: [Int: IDMoveProblem] = [:]
        var sound: [(index: Int, move: IDMove)] = []
        for (index, move) in moves {
            do {
                sound.append((index, try stored(move)))
            } catch {
                problems[index] = .invalid(reason: error.reason)
            }
        }
        let olds = Dictionary(sound.map { ($0.move.old, 1) }, uniquingKeysWith: +)
        let news = Dictionary(sound.map { ($0.move.new, 1) }, uniquingKeysWith: +)
        var steps: [Step] = []
        for (index, move) in sound {
            if olds[move.old] != 1 {
                problems[index] = .movedTwice
            } else if news[move.new] != 1 {
                problems[index] = .givenTwice
            } else if let record = records[move.old] {
                // A record that has the new id now must get another one by the same map.
                if let holder = records[move.new], holder != record, olds[move.new] == nil {
                    problems[index] = .taken(by: holder)
                } else if move.old != move.new {
                    steps.append(Step(move: move, record: record))
                }
            } else {
                problems[index] = .unknown
            }
        }
        return (steps, problems)
    }

    private struct Invalid: Error { let reason: String }

    /// The move with both ids as they are stored.
    private static func stored(_ move: IDMove) throws(Invalid) -> IDMove {
        do {
            let new = try FieldRule.sourceID.check(move.new, field: "new id")
            // An old id is one that is there, by whichever rule it was stored; but composing a long text takes long.
            let isShort = move.old.utf8.count <= 4 * FieldRule.sourceID.bytesMax
            return IDMove(move.kind, from: isShort ? move.old.precomposedStringWithCanonicalMapping : move.old, to: new)
        } catch DirectoryError.invalidField(_, let reason) {
            throw Invalid(reason: reason)
        } catch {
            throw Invalid(reason: "cannot be an id")
        }
    }
}
