import Foundation

extension ImportReport {
    init(
        _ outcome: Outcome, _ plan: ImportRun.Plan? = nil, digest: String? = nil, importID: Int? = nil,
        defects logs: [DefectLog]
    ) {
        self.outcome = outcome
        self.digest = plan?.digest ?? digest
        self.planID = plan?.planID
        self.importID = importID
        counts = plan?.counts ?? ImportCounts()
        held = outcome == .nothingToDo ? [] : plan?.held ?? []
        defects = Self.sorted(logs.flatMap(\.kept))
        errorCount = logs.reduce(0) { $0 + $1.errorCount }
        warningCount = logs.reduce(0) { $0 + $1.warningCount }
    }

    /// Found check by check, shown file by file and line by line; what concerns no single file comes first.
    private static func sorted(_ defects: [Defect]) -> [Defect] {
        let order = Dictionary(uniqueKeysWithValues: RosterFile.allCases.enumerated().map { ($1.name, $0) })
        return defects.enumerated().sorted { left, right in
            let leftKey = (order[left.element.file] ?? -1, left.element.line ?? 0, left.offset)
            let rightKey = (order[right.element.file] ?? -1, right.element.line ?? 0, right.offset)
            return leftKey < rightKey
        }.map(\.element)
    }
}

extension ImportCounts {
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try! encoder.encode(self), as: UTF8.self)  // integers only
    }

    /// For the audit trail: `students +4 ~0 -0, …`: added, changed or back, gone.
    var summary: String {
        RecordType.allCases.map { type in
            let counts = self[type]
            return "\(type.rawValue) +\(counts.added) ~\(counts.changed + counts.reactivated) -\(counts.deactivated)"
        }.joined(separator: ", ")
    }
}
