/// The section that shows what the last sync has changed.
struct ChangesSection {
    struct Group {
        let label: String
        let names: [String]
        let more: String
    }

    /// A sentence in place of the groups, if there are none.
    let note: String?
    let groups: [Group]

    /// - Parameter changes: Nil for the first sync.
    init(_ changes: RosterChanges?) {
        guard let changes, !changes.isEmpty else {
            note = changes == nil ? "The first one: everything is new." : "Nothing has changed since the one before."
            groups = []
            return
        }
        note = nil
        groups = [
            (changes.addedPeople, "person added", "people added"),
            (changes.removedPeople, "person removed", "people removed"),
            (changes.changedPeople, "person changed", "people changed"),
            (changes.addedClasses, "class added", "classes added"),
            (changes.removedClasses, "class removed", "classes removed"),
            (changes.changedClasses, "class changed", "classes changed"),
        ].compactMap { names, one, many in
            guard names.count > 0 else { return nil }
            let more = names.count - names.first.count
            return Group(
                label: counted(names.count, one, many),
                names: names.first,
                more: more > 0 ? "and \(counted(more, "other", "others"))" : ""
            )
        }
    }
}
