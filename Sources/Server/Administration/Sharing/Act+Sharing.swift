import Authorization
import Directory
import Storage

extension Act {
    /// If at most so many people appear or disappear, each gets an audit entry of their own. If there are more, each
    /// entry is about so many people.
    private static let singleEntriesMax = 1_000

    /// Changes what an app sees, and records who appears and who disappears by it.
    ///
    /// The numbers are counted now: the preview and the trail must say what this change does, and the number of the last count
    /// may be an hour old.
    func share(_ rules: SharingRules, with shared: SharedApp) throws {
        func seen() throws -> (people: Set<PersonID>, classes: Int, sharing: SharingFilter) {
            let view = try RosterView(of: shared.organization, for: shared.app.id, at: now, in: transaction)
            return (
                Set(try RosterPerson.ids(of: shared.organization.id, through: view.sharing, at: now, in: transaction)),
                try RosterClass.countAll(of: shared.organization.id, through: view.sharing, in: transaction),
                view.sharing
            )
        }
        let before = try seen()
        try rules.put(for: shared.app.id, of: shared.organization.id, at: now, in: transaction)
        let after = try seen()
        if try after.sharing.isLongToCount(in: shared.organization.id, transaction) {
            try SharingCount(people: after.people.count, classes: after.classes)
                .keep(for: after.sharing, at: now, in: transaction)
        }
        let people = "people \(before.people.count) → \(after.people.count)"
        let classes = "classes \(before.classes) → \(after.classes)"
        try record(
            .sharingChanged, on: shared, called: shared.app.name, "\(rules.auditText); \(people), \(classes)")
        let (hidden, shown) = (before.people.subtracting(after.people), after.people.subtracting(before.people))
        let isEachNamed = hidden.count + shown.count <= Self.singleEntriesMax
        for (action, people) in [(AuditEntry.Action.sharingHidden, hidden), (.sharingShown, shown)] {
            try isEachNamed
                ? recordEach(action, people.sorted(), shared) : recordMany(action, people.sorted(), shared)
        }
    }

    private func recordEach(_ action: AuditEntry.Action, _ people: [PersonID], _ shared: SharedApp) throws {
        let word = action == .sharingHidden ? "not shown to" : "shown to"
        for id in people {
            guard let person = try Person.find(id, in: transaction) else { continue }
            let name = mayNamePeople(of: shared) ? person.fullName : "PE-\(id.rawValue)"
            try record(action, on: person, called: name, "\(word) \(shared.auditName)")
        }
    }

    /// A caller may decide what apps see without being allowed to read people; then names are left out.
    private func mayNamePeople(of shared: SharedApp) -> Bool {
        context.authority.has(.readPeople, in: shared.organization.id)
    }

    private func recordMany(_ action: AuditEntry.Action, _ people: [PersonID], _ shared: SharedApp) throws {
        for start in stride(from: 0, to: people.count, by: Self.singleEntriesMax) {
            let part = people[start..<min(start + Self.singleEntriesMax, people.count)]
            let runs = IDRuns(part.map(\.rawValue))
            try record(
                action, on: shared, called: shared.app.name, "\(part.count) people, ids \(runs.text)",
                mentioning: part.map(AuditMention.person))
        }
    }
}

extension SharingRules {
    /// What the audit trail says of the rules: ids, and no names.
    fileprivate var auditText: String {
        var parts: [String] = []
        if let locations {
            let names = locations.sorted().map { $0 == .none ? "organization" : "location:\($0.rawValue)" }
            parts.append("places " + Self.list(names))
        }
        // Grades go without colons, because the audit trail takes any text such as `person:12` for a mention of a
        // person.
        if let grades { parts.append("grades " + Self.list(grades.sorted().map { $0.filter { $0 != ":" } })) }
        if let roles { parts.append("roles " + Self.list(roles.map(\.rawValue).sorted())) }
        if let classes { parts.append("classes \(IDRuns(classes.map(\.rawValue)).text)") }
        if !withheld.isEmpty { parts.append("without " + Self.list(withheld.map(\.rawValue).sorted())) }
        if !leftOut.isEmpty { parts.append("\(leftOut.count) left out") }
        return parts.isEmpty ? "no limits" : parts.joined(separator: "; ")
    }

    private static func list(_ words: [String]) -> String { words.isEmpty ? "none" : words.joined(separator: ", ") }
}
