import Administration
import CommandOutput
import Directory
import RosterFiles

/// What was found of one import.
extension ImportCommand {
    func showReport(of import: ImportReference) async throws {
        let shown = ShowImport(import: `import`, after: page.after, limit: page.limit)
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(shown, in: organization.reference)
        }
        try output.print(answer) { answer.text(options: global.again(in: organization)) }
    }
}

extension ShowImport.Answer {
    fileprivate func text(options: [String]) -> String {
        let fields = Table.fields([
            ("Import", applied.map { "\($0.number)" }), ("Plan", planID), ("At (UTC)", at.minuteText),
            ("Schools", schools?.joined(separator: ", ")), ("Term", term),
            ("Taken back", applied?.undoneAt?.minuteText),
        ])
        guard let report else {
            let rest = applied.map { $0.table } ?? "Its files are not kept any more. Import them again to see the plan."
            return [fields, rest].joined(separator: "\n\n")
        }
        // One that was applied has nothing to approve, and need not be the one that is taken back next.
        let rest = applied == nil ? [report.text(options: options)] : report.parts
        return ([fields] + rest).joined(separator: "\n\n")
    }
}

extension ImportSummary {
    /// Its numbers, which the history keeps longer than its files.
    fileprivate var table: String {
        Table.text(
            ["TYPE", "IN FILE", "ADDED", "CHANGED", "GONE", "BACK"],
            RecordType.allCases.compactMap { type in
                effects[type.rawValue].map {
                    [type.rawValue]
                        + [$0.inFile, $0.added, $0.changed, $0.deactivated, $0.reactivated].map(String.init)
                }
            })
    }
}
