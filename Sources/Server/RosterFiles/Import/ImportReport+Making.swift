import Directory
import Foundation
import Ground

extension ImportReport {
    init(
        _ outcome: Outcome, _ plan: ImportRun.Plan? = nil, digest: String? = nil, importID: Int? = nil,
        listing: PlanListing? = nil, defects logs: [DefectLog]
    ) {
        self.outcome = outcome
        self.digest = plan?.digest ?? digest
        self.planID = plan?.planID
        self.importID = importID
        counts = plan?.counts ?? ImportCounts()
        identities = plan?.identities ?? IdentityChanges()
        self.listing = listing
        held = outcome == .nothingToDo ? [] : plan?.held ?? []
        defects = Self.sorted(logs.flatMap(\.kept)) { $0 }
        warnings = Self.sorted(logs.flatMap(\.warnings), by: \.example)
        errorCount = logs.reduce(0) { $0 + $1.errorCount }
        warningCount = logs.reduce(0) { $0 + $1.warningCount }
    }

    /// What the import changes, in numbers, as the audit trail has it.
    package var summary: String { counts.summary + identities.summary }

    /// Defects are found check by check, and shown file by file and line by line. Those of no single file come first.
    private static func sorted<Found>(_ found: [Found], by defect: (Found) -> Defect) -> [Found] {
        let order = Dictionary(uniqueKeysWithValues: RosterFile.allCases.enumerated().map { ($1.name, $0) })
        return found.enumerated().map { place, element in
            let defect = defect(element)
            return (key: (order[defect.file] ?? -1, defect.line ?? 0, place), element: element)
        }.sorted { $0.key < $1.key }.map(\.element)
    }
}

extension IdentityChanges {
    /// A summary for the audit trail; empty if no id passes to another person.
    var summary: String {
        let parts = [
            (anotherPerson, "person ids kept although the name looks like another person's"),
            (renamed, "person ids kept under a name unlike the former one"),
            (passedOn, "person ids passed on to new people"),
        ]
        return parts.filter { $0.0 > 0 }.map { "; \($0.0) \($0.1)" }.joined()
    }
}

extension ImportCounts {
    var json: String {
        String(decoding: try! JSONEncoder.stable.encode(self), as: UTF8.self)  // integers only
    }

    /// What is kept with the import: the counts by type, and `schools` if its files were of single ones.
    func json(for scope: ImportScope) -> String {
        let kept = Kept(counts: self, scope: scope)
        return String(decoding: try! JSONEncoder.stable.encode(kept), as: UTF8.self)  // integers and text only
    }

    private struct Kept: Encodable {
        let counts: ImportCounts
        let scope: ImportScope

        private enum CodingKeys: CodingKey {
            case schools
        }

        func encode(to encoder: any Encoder) throws {
            try counts.encode(to: encoder)
            guard !scope.isWhole else { return }
            var container = encoder.container(keyedBy: CodingKeys.self)
            let schools = scope.schools.map { ImportedSchool(id: $0.id, locationID: $0.sourceID ?? "", name: $0.name) }
            try container.encode(schools, forKey: .schools)
        }
    }

    /// For the audit trail: `students +4 ~0 -0, …`: added, changed or back, gone.
    var summary: String {
        RecordType.allCases.map { type in
            let counts = self[type]
            return "\(type.rawValue) +\(counts.added) ~\(counts.changed + counts.reactivated) -\(counts.deactivated)"
        }.joined(separator: ", ")
    }
}
