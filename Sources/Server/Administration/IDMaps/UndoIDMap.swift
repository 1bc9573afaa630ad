import Directory
import Storage

/// Gives all records of an id map the ids back that they had before it.
package struct UndoIDMap: Change {
    package typealias Answer = IDMapRecord

    package static let name = "id-map.undo"
    package static let summary = """
        Gives the records of an id map their former ids back. Refused if an import or another map was made since.
        """
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.post, "id-maps/{map}/undo")
    package static let explanations = ["map": "The number of the map."]
    package static let undo = UndoRule.impossible("The map can be applied again.")
    package static let hasBulkForm = false
    package static let locksRoster = true

    package let map: IDMapReference

    package init(map: IDMapReference) { self.map = map }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> IDMap {
        try map.find(in: context.organizationToChange(transaction), transaction)
    }

    package func carryOut(on map: IDMap, _: Void, in act: Act) throws -> IDMapRecord {
        let counts = try map.counts(in: act.transaction)
        let name = try Organization.find(map.organizationID, in: act.transaction)?.name
        try act.record(.idMapUndone, on: map, called: name ?? map.auditName, counts.text)
        try map.takeBack(at: act.now, in: act.transaction)
        return IDMapRecord(map, counts)
    }
}
