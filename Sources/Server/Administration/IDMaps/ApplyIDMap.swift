import Directory
import Foundation
import Storage

/// Gives many records the ids by which another information system knows them. It moves all or none.
package struct ApplyIDMap: Change {
    package typealias Answer = IDMapRecord

    package static let name = "id-map.apply"
    package static let summary = """
        Gives people, classes, courses and locations the ids of another information system. Nothing else of them \
        changes.
        """
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.post, "id-maps", bodyBytesMax: 64 << 20)
    package static let explanations = [
        "moves": """
        Which records, by their kind and their old id, and the new id of each; \(movesMax) at most. Records that it \
        leaves out keep their ids.
        """
    ]
    package static let undo = UndoRule.possible
    package static let hasBulkForm = false
    package static let locksRoster = true

    private static let movesMax = 500_000

    package let moves: [IDMove]

    package init(moves: [IDMove]) { self.moves = moves }

    package var takesLong: Bool { moves.count > 1_000 }

    package func carryOut(on organization: Organization, _: Void, in act: Act) throws -> IDMapRecord {
        let plan = try IDMovePlan(moves, of: organization.id, in: act.transaction)
        try check(plan)
        let map = try IDMap.insert(of: organization.id, at: act.now, in: act.transaction)
        // The audit entry comes before the rows, so that other writers to the same trail wait from here on. Written
        // last, it could lose against one of them, and PostgreSQL would make the map start over.
        try act.record(.idsMapped, on: map, called: organization.name, plan.counts.text)
        try map.carryOut(plan, in: act.transaction)
        act.undo(by: UndoIDMap(map: IDMapReference(map.id)))
        return IDMapRecord(map, plan.counts)
    }

    /// - Throws: ``OperationError`` unless all can be moved.
    func check(_ plan: IDMovePlan) throws {
        guard (1...Self.movesMax).contains(moves.count) else {
            throw OperationError.invalid(field: "moves", reason: "are none, or more than \(Self.movesMax)")
        }
        guard plan.problems.isEmpty else { throw OperationError.items(failures(plan.problems)) }
        guard !plan.counts.isEmpty else {
            throw OperationError.refused("Each record of the map has its new id already.")
        }
    }

    private func failures(_ problems: [Int: IDMoveProblem]) -> [Int: OperationFailure] {
        Dictionary(
            uniqueKeysWithValues: problems.map { index, problem in
                (index, OperationFailure(problem.kind, moves[index].text(of: problem)))
            })
    }
}

extension IDMoveProblem {
    fileprivate var kind: OperationFailure.Kind {
        switch self {
        case .unknown: .notFound
        case .invalid: .invalid
        case .movedTwice, .givenTwice, .taken: .refused
        }
    }
}
