import ArgumentParser
import Directory
import Foundation
import RosterFiles
import Storage

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Bring an organization to what six CSV files say.",
        discussion: """
            Everything is read first, and every defect reported. An import that would take away or change much is held \
            until you approve the plan that was shown. It is applied as a whole or not at all.

            Exit codes: 0 applied or nothing to do, 2 the files have errors, 3 held for approval.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var output: OutputOptions

    @Argument(
        help: "A folder or a ZIP with locations, students, staff, courses, classes and rosters.csv.",
        completion: .file())
    var files: String?

    @Flag(help: "Show what would change, and change nothing.")
    var plan = false

    @Option(help: "Apply the plan of this id although it is held: the one that was shown, on the data as it was.")
    var approve: String?

    @Flag(help: "Take back the last import.")
    var undo = false

    func validate() throws {
        guard files != "" else { throw ValidationError("The name of the files is empty.") }
        guard undo != (files != nil) else { throw ValidationError("Name the files, or say --undo.") }
        guard !(plan && approve != nil) else { throw ValidationError("--plan and --approve contradict each other.") }
        guard !undo || (!plan && approve == nil) else { throw ValidationError("--undo stands alone.") }
    }

    func run() async throws {
        if undo { return try await undoLast() }
        let selector = organization.selector
        let files = files!  // checked by validate()
        guard FileManager.default.fileExists(atPath: files) else { throw Failure("There is no \(files).") }
        let mode = plan ? RosterImporter.Mode.planOnly : .apply(approval: approve)
        let progress = ProgressBar()
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let organization = try await deployment.database.read { try selector.findToChange(in: $0) }
            return try await RosterImporter(database: deployment.database, surroundings: deployment.surroundings).run(
                organization: organization.id, from: files, mode: mode, actor: .operator, origin: .commandLine,
                progress: { progress.show($0) })
        }
        progress.end()
        try output.print(report) { report.text(files: files, again: again) }
        switch report.outcome {
        case .defective: throw ExitCode.defects
        case .held: throw ExitCode.held
        case .planned, .applied, .nothingToDo: break
        }
    }
}

extension ImportCommand {
    /// Makes another command on the same organization and the same data, to be copied into a shell.
    private var again: ([String]) -> String {
        let place = [
            ("--org", organization.organization), ("--data", global.data), ("--database", databaseWithoutPassword),
            ("--master-key", global.masterKey), ("--config", global.config),
        ]
        let options = place.flatMap { name, value in value.map { [name, $0] } ?? [] }
        return { (["lanyard", "import"] + $0 + options).map(\.quotedForShell).joined(separator: " ") }
    }

    /// What is printed may end up in a log.
    private var databaseWithoutPassword: String? {
        guard let database = global.database, namesServer(database), var address = URLComponents(string: database)
        else { return global.database }
        address.password = nil
        return address.string
    }

    private func undoLast() async throws {
        let selector = organization.selector
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let organization = try await deployment.database.read { try selector.findToChange(in: $0) }
            return try await RosterImporter(database: deployment.database, surroundings: deployment.surroundings).undo(
                organization: organization.id, actor: .operator, origin: .commandLine)
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
}

extension ImportReport {
    /// What a person at a terminal wants to know: defects, what changes, what to do next.
    /// - Parameter again: makes another command for the same organization.
    fileprivate func text(files: String, again: (_ arguments: [String]) -> String) -> String {
        var parts: [String] = []
        if !defects.isEmpty {
            parts.append(defects.map { "\($0.severity.rawValue): \($0)" }.joined(separator: "\n"))
            let omitted = errorCount + warningCount - defects.count
            if omitted > 0 { parts.append("… and \(omitted) more of the same kinds.") }
        }
        if outcome != .defective { parts.append(table) }
        parts.append(verdict(files: files, again: again))
        return parts.joined(separator: "\n\n")
    }

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private var table: String {
        Table.text(
            ["TYPE", "IN FILE", "ADDED", "CHANGED", "DEACTIVATED", "REACTIVATED", "UNCHANGED"],
            RecordType.allCases.map { type in
                let count = counts[type]
                return [type.rawValue]
                    + [
                        count.inFile, count.added, count.changed, count.deactivated, count.reactivated, count.unchanged,
                    ].map(String.init)
            })
    }

    private func verdict(files: String, again: (_ arguments: [String]) -> String) -> String {
        switch outcome {
        case .defective:
            "Nothing was changed: the files have \(Self.counted(errorCount, "error")) and \(Self.counted(warningCount, "warning")). Mend them and import again."
        case .planned where held.isEmpty: "Nothing was changed, as you asked. This is plan \(planID ?? "")."
        case .planned: "Nothing was changed, as you asked. To be applied, \(approval(files: files, again: again))"
        case .held: "Nothing was changed: \(approval(files: files, again: again))"
        case .applied: "Applied as import \(importID ?? 0). To take it back:\n\n  \(again(["--undo"]))"
        case .nothingToDo: "Nothing to do: the organization is as the files say."
        }
    }

    private func approval(files: String, again: (_ arguments: [String]) -> String) -> String {
        """
        this plan needs your approval.

        \(held.map { "  \($0)" }.joined(separator: "\n"))

        If that is what you want:

          \(again([files, "--approve", planID ?? ""]))
        """
    }
}

extension String {
    /// As one word of a POSIX shell.
    fileprivate var quotedForShell: String {
        let isPlain = !isEmpty && utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_./:=@%+,".utf8.contains($0) }
        return isPlain ? self : "'\(replacingOccurrences(of: "'", with: #"'\''"#))'"
    }
}
