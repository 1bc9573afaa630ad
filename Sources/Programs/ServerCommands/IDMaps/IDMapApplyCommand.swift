import Administration
import ArgumentParser
import CommandOutput
import Directory
import Foundation
import RosterFiles

struct IDMapApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Move people, classes, courses and locations to new ids.",
        discussion: """
            The file is a CSV file with the columns type, old_id and new_id; type is person, class, course or \
            location. Rows without a new id move nothing. Accounts, passwords and what apps know of people stay as they \
            are. All rows are moved or none: if one is wrong, every wrong line is listed.

            Exit codes: 0 applied, 2 the file has errors.

            For example:
              lanyard id-map apply map.csv --dry-run
              lanyard id-map apply map.csv
              lanyard import files-of-the-new-system.zip --plan
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Flag(help: "Say what would move, and change nothing.")
    var dryRun = false

    func run() async throws {
        guard FileManager.default.fileExists(atPath: file) else { throw Failure("There is no \(file).") }
        let map: IDMapFile
        do {
            map = try IDMapFile(at: file)
        } catch let error as IDMapFile.Problems {
            throw try report(error.problems)
        }
        let change = ApplyIDMap(moves: map.rows.map(\.move))
        if dryRun {
            switch try await result(of: map, { try await $0.preview(change, in: organization.reference) }) {
            case .success(let preview):
                try output.print(preview) {
                    "Nothing is changed. This would get new ids: "
                        + preview.effects.map(\.detail).joined(separator: ", ") + "."
                }
            case .failure(let wrong): throw try report(wrong.problems)
            }
            return
        }
        switch try await result(of: map, { try await $0.perform(change, in: organization.reference) }) {
        case .success(let done):
            try output.print(done) {
                let rows = map.withoutNewID == 1 ? "row" : "rows"
                let left = map.withoutNewID == 0 ? "" : " \(map.withoutNewID) \(rows) without a new id moved nothing."
                return """
                    Id map \(done.answer.map) is applied: \(done.effects.map(\.detail).joined(separator: ", ")).\(left)
                    To take it back, before the next import:

                      lanyard change undo \(done.change ?? 0)
                    """
            }
        case .failure(let wrong): throw try report(wrong.problems)
        }
    }

    /// The result, or which lines of the file are wrong.
    private func result<Value: Sendable>(
        of map: IDMapFile, _ body: (any Administrating) async throws -> Value
    ) async throws -> Result<Value, IDMapFile.Problems> {
        try await Deployment.administrate(global) { administrator in
            do {
                return .success(try await body(administrator))
            } catch {
                guard let items = OperationFailure(error)?.items else { throw error }
                return .failure(
                    IDMapFile.Problems(
                        problems: items.map { IDMapFile.Problem(line: map.rows[$0.index].line, message: $0.detail) }))
            }
        }
    }

    /// Prints what is wrong.
    /// - Returns: how the command ends.
    private func report(_ problems: [IDMapFile.Problem]) throws -> ExitCode {
        try output.print(["problems": problems]) {
            problems.map { "error: \(file):\($0.line): \($0.message)" }.joined(separator: "\n")
                + "\n\nNothing was changed. Mend the \(problems.count == 1 ? "line" : "\(problems.count) lines") and try again."
        }
        return .defects
    }
}
