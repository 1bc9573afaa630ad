/// The differences between a sync and the one before.
struct RosterChanges: Codable, Equatable, Sendable {
    var addedPeople = Names()
    var removedPeople = Names()
    var changedPeople = Names()
    var addedClasses = Names()
    var removedClasses = Names()
    /// Classes with a different name, room or members.
    var changedClasses = Names()

    /// The number of changes, and the names of the first few.
    struct Names: Codable, Equatable, Sendable {
        var count = 0
        var first: [String] = []

        static let firstMax = 12
    }

    init(from old: Roster, to new: Roster) {
        let people = Self.compare(old.people, new.people, name: \.fullName)
        (addedPeople, removedPeople, changedPeople) = people
        let classes = Self.compare(old.classes, new.classes, name: \.name)
        (addedClasses, removedClasses, changedClasses) = classes
    }

    var isEmpty: Bool {
        [addedPeople, removedPeople, changedPeople, addedClasses, removedClasses, changedClasses]
            .allSatisfy { $0.count == 0 }
    }

    private static func compare<Value: Equatable>(
        _ old: [String: Value],
        _ new: [String: Value],
        name: (Value) -> String
    ) -> (added: Names, removed: Names, changed: Names) {
        let added = new.filter { old[$0.key] == nil }
        let removed = old.filter { new[$0.key] == nil }
        let changed = new.filter { old[$0.key] != nil && old[$0.key] != $0.value }
        return (names(added.values, name), names(removed.values, name), names(changed.values, name))
    }

    private static func names<Value>(_ values: some Collection<Value>, _ name: (Value) -> String) -> Names {
        Names(
            count: values.count,
            first: Array(values.map(name).sorted { inReadingOrder($0, $1, then: false) }.prefix(Names.firstMax)))
    }
}
