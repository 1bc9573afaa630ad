import Directory
import Storage

/// Takes a location at which nothing stands any more from apps and lists. Its record stays, so that whatever names it, such
/// as a sharing rule, goes on to mean this location and no other; and it can be restored.
package struct RemoveLocation: Change {
    package typealias Answer = LocationRecord

    package static let name = "location.remove"
    package static let summary = """
        Takes a location at which nothing stands any more from apps and lists. It can be restored. In a school, the \
        next import of the whole organization brings back one that its files name.
        """
    package static let privilege = Privilege.manageLocations
    package static let route = OperationRoute(.delete, "locations/{location}")
    package static let explanations = ["location": LocationReference.explanation]
    package static let undo = UndoRule.possible

    package let location: LocationReference

    package init(location: LocationReference) { self.location = location }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Location {
        try location.find(
            in: context.organizationToChange(transaction), expectingArchived: false, transaction)
    }

    package func carryOut(on location: Location, _: Void, in act: Act) throws -> LocationRecord {
        guard location.archivedAt == nil else { throw OperationError.refused("\(location.name) is removed already.") }
        let use = try location.use(at: act.now, in: act.transaction)
        guard use.isEmpty else { throw location.refusal(because: use) }
        let deciding = Set(try act.decidingForAll(in: location.organizationID).map(\.id))
        try location.archive(at: act.now, in: act.transaction)
        try act.record(.locationRemoved, on: location, called: location.name, location.remains(in: act.transaction))
        // A role at each location counts for the whole organization, so there may be more people now who decide for it.
        for person in try act.decidingForAll(in: location.organizationID) where !deciding.contains(person.id) {
            let name =
                try person.isOpen(to: act.context.authority, for: .readPeople, in: act.transaction)
                ? person.fullName : "PE-\(person.id.rawValue)"
            try act.record(
                .personChanged, on: person, called: name,
                "decides for the whole organization what apps see, by a role at each location that is left")
        }
        act.undo(by: RestoreLocation(location: LocationReference(location.id)))
        return LocationRecord(try location.now(in: act.transaction))
    }
}

/// Brings a removed location back, as it was.
package struct RestoreLocation: Change {
    package typealias Answer = LocationRecord

    package static let name = "location.restore"
    package static let summary = """
        Brings a removed location back, as it was. In a school, the next import of the whole organization archives one that \
        came from its files and is not in them any more.
        """
    package static let privilege = Privilege.manageLocations
    package static let route = OperationRoute(.post, "locations/{location}/restore")
    package static let explanations = ["location": LocationReference.explanation]
    package static let undo = UndoRule.possible

    package let location: LocationReference

    package init(location: LocationReference) { self.location = location }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Location {
        try location.find(in: context.organizationToChange(transaction), expectingArchived: true, transaction)
    }

    package func carryOut(on location: Location, _: Void, in act: Act) throws -> LocationRecord {
        guard location.archivedAt != nil else { throw OperationError.refused("\(location.name) is not removed.") }
        try location.restore(at: act.now, in: act.transaction)
        try act.record(.locationRestored, on: location, called: location.name, "restored")
        act.undo(by: RemoveLocation(location: LocationReference(location.id)))
        return LocationRecord(try location.now(in: act.transaction))
    }
}

extension Act {
    fileprivate func decidingForAll(in organization: OrganizationID) throws -> [Person] {
        try Person.list(
            decidingWith: Role.allCases.filter(\.mayShareData), for: organization, at: now, in: transaction)
    }

    /// Holds it to places that are there: apps would get the id of a location that they cannot read.
    func checkPlaces(of person: Person) throws {
        guard let gone = try Location.listArchived(heldBy: person.id, at: now, in: transaction).first else { return }
        throw OperationError.refused(
            """
            \(person.fullName) holds a role at \(gone.name), which was removed. Take that role away, or restore the \
            location first.
            """, remedy: .init(RestoreLocation.name, "LO:\(gone.id.rawValue)"))
    }
}

extension Location {
    /// The location as it is after a change.
    fileprivate func now(in transaction: some Transaction) throws -> Location {
        try Location.findAlsoArchived(id, in: organizationID, transaction) ?? self
    }

    /// A number of what was counted, such as `12`, or `more than 1000`.
    /// - Parameter max: how far it was counted.
    package static func counted(_ number: Int, upTo max: Int = countedMax) -> String {
        number > max ? "more than \(max)" : "\(number)"
    }

    private func number(_ number: Int, upTo max: Int = countedMax, _ one: String, _ many: String) -> String? {
        number == 0 ? nil : "\(Self.counted(number, upTo: max)) \(number == 1 ? one : many)"
    }

    /// What goes on to name the location, for the preview and the trail.
    fileprivate func remains(in transaction: some Transaction) throws -> String {
        let remains = [
            number(
                try countArchivedClasses(in: transaction), "archived class", "archived classes"),
            number(
                try countPeople(in: transaction), "person who has left or whose role is over",
                "people who have left or whose roles are over"),
            number(try countSharingRules(in: transaction), "sharing rule", "sharing rules"),
        ].compactMap(\.self)
        return remains.isEmpty ? "removed" : "removed; still named by \(remains.joined(separator: ", "))"
    }

    fileprivate func refusal(because use: LocationUse) -> OperationError {
        func named(_ names: [String], _ one: String, _ many: String) -> String? {
            names.isEmpty ? nil : "\(names.count == 1 ? one : many) \(names.joined(separator: ", "))"
        }
        let standing = [
            number(use.people, upTo: LocationUse.countedMax, "person holds a role there", "people hold roles there"),
            number(use.classes, upTo: LocationUse.countedMax, "class is there", "classes are there"),
            named(use.terms.map { "“\($0)”" }, "it has the open term", "it has the open terms"),
            named(use.pickUps.map(String.init), "its files come by pick-up", "its files come by pick-ups"),
            named(use.heldImports, "its import waits for approval:", "its imports wait for approval:"),
        ].compactMap(\.self)
        let remedies = [
            use.people > 0 ? "give those people a role elsewhere, or take it away" : nil,
            use.classes > 0 ? "move or archive the classes" : nil, use.terms.isEmpty ? nil : "close the term",
            use.pickUps.isEmpty ? nil : "remove the pick-up", use.heldImports.isEmpty ? nil : "discard the import",
        ].compactMap(\.self)
        return .refused(
            "\(name) is in use: \(standing.joined(separator: "; ")). First \(remedies.joined(separator: "; ")).",
            remedy: .init(ShowLocation.name, "LO:\(id.rawValue)", use: .looking("shows what is there")))
    }
}
