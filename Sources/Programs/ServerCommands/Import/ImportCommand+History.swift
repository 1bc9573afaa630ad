import Administration
import CommandOutput
import Directory
import RosterFiles

/// What has become of earlier imports.
extension ImportCommand {
    func takeBack(_ meant: ImportReference) async throws {
        let report = try await Deployment.administrate(global) {
            try await $0.perform(UndoImport(import: meant), in: organization.reference).answer
        }
        try output.print(report) {
            let rows = [
                ("locations", report.locations), ("people", report.people), ("courses", report.courses),
                ("classes", report.classes), ("memberships", report.memberships),
            ]
            let table = Table.text(
                ["TYPE", "WITHDRAWN", "RESTORED"], rows.map { [$0, String($1.withdrawn), String($1.restored)] })
            return "Import \(report.importID) is taken back.\n\n\(table)"
        }
    }

    func give(up held: ImportReference) async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.perform(DiscardImport(import: held), in: organization.reference).answer
        }
        try output.print(answer) {
            "The import of \(answer.at.minuteText)\(answer.whose) waits no more, and its files are deleted: plan \(answer.planID)."
        }
    }

    func showHistory() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListImports(), in: organization.reference)
        }
        try output.print(answer) {
            let table = answer.imports.isEmpty ? "No import was applied yet." : Self.table(answer.imports)
            return ([table] + answer.held.map(\.text)).joined(separator: "\n\n")
        }
    }

    private static func table(_ imports: [ImportSummary]) -> String {
        Table.text(
            ["IMPORT", "AT (UTC)", "FILES", "KEPT", "SCHOOL", "PEOPLE ADDED", "CHANGED", "LEFT", "TAKEN BACK"],
            imports.map { one in
                func people(_ count: KeyPath<ImportSummary.Effects, Int>) -> String {
                    "\(["students", "staff"].compactMap { one.effects[$0]?[keyPath: count] }.reduce(0, +))"
                }
                return [
                    "\(one.number)", one.at.minuteText, String(one.digest.prefix(8)), one.filesAreKept ? "yes" : "no",
                    one.schools?.map(\.name).joined(separator: ", ") ?? "–", people(\.added), people(\.changed),
                    people(\.deactivated), one.undoneAt?.minuteText ?? "–",
                ]
            })
    }

    /// How many rows that differ are shown; the JSON has them too.
    private static let rowsMax = 200

    func showDifference() async throws {
        let (earlier, later) = (ImportReference(compare[0]), ImportReference(compare[1]))
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(
                CompareImports(import: later, from: earlier, limit: Self.rowsMax), in: organization.reference)
        }
        try output.print(answer) { answer.text }
    }
}

extension ListImports.Held {
    fileprivate var whose: String { schools.map { " for \($0.joined(separator: ", "))" } ?? "" }

    fileprivate var text: String {
        let title = "The import of \(at.minuteText)\(whose) waits for approval: plan \(planID)."
        guard filesAreKept else { return title }
        return """
            \(title)
            Look at it, and approve it if it is right, or discard it:

              lanyard import --files-of \(planID) --plan
              lanyard import --files-of \(planID) --approve \(planID)
              lanyard import --discard \(planID)
            """
    }
}

extension RosterDifference {
    fileprivate var text: String {
        let table = Table.text(
            ["FILE", "ADDED", "REMOVED", "CHANGED", "UNCHANGED"],
            RosterFile.allCases.map { file in
                let count = counts[file.rawValue]
                return [file.name]
                    + [count?.added, count?.removed, count?.changed, count?.unchanged].map { "\($0 ?? 0)" }
            })
        guard !rows.isEmpty else { return table }
        let more = counts.values.reduce(0) { $0 + $1.added + $1.removed + $1.changed } - rows.count
        let list = Table.text(
            ["WHERE", "", "ID", "WHAT HAS CHANGED"],
            rows.map { row in
                [
                    "\(row.file.name):\(row.line)", row.kind.rawValue, row.id,
                    row.columns.map { "\($0.name): \($0.before ?? "–") → \($0.after ?? "–")" }.joined(separator: "; "),
                ]
            })
        return [table, list + (more > 0 ? "\n… and \(more) more." : "")].joined(separator: "\n\n")
    }
}
