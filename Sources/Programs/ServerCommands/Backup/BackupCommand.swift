import ArgumentParser
import CommandOutput
import Foundation
import Ground
import Storage

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database while the server runs, and read the copy back.",
        discussion: """
            Beside the copy are a manifest and the list of who was erased; `lanyard restore` wants both. The master key is \
            not in the folder: keep it in another place. PostgreSQL is copied by pg_dump, which has to be installed here.

            For example:
              lanyard backup /var/backups/lanyard --keep 14 --keep-days 30
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The folder of the copies, which is made if it is missing. [default: the setting backupFolder]")
    var folder: String?

    @Option(
        parsing: .unconditional,
        help: "Remove the oldest copies when there are more than this many. [default: keep all]")
    var keep: Int?

    @Option(
        parsing: .unconditional, help: "Remove copies that are older than this many days. [default: keep all]")
    var keepDays: Int?

    private struct Result: Encodable {
        let folder: String
        let manifest: String
        let copy: BackupManifest
        let masterKeyFile: String
        /// The names of older copies that were removed.
        let removed: [String]
    }

    func validate() throws {
        guard keep ?? 1 >= 1 else { throw ValidationError("--keep must be at least 1.") }
        guard keepDays ?? 1 >= 1 else { throw ValidationError("--keep-days must be at least 1.") }
    }

    func run() async throws {
        guard try global.remote == nil else { throw Failure.onlyHere }
        let settings = try await Settings(global)
        guard let path = folder ?? settings.backupFolder else {
            throw Failure("Name the folder of the copies, or set backupFolder.")
        }
        try CommandOutput.Folder.make(path)
        let folder = BackupFolder(path: path)
        let surroundings = Surroundings.system
        let made = try await BackupMaker(settings: settings, folder: folder, surroundings: surroundings).make()
        let superfluous = BackupRetention(count: keep, days: keepDays).superfluous(
            in: folder.entries(), newest: made, at: surroundings.now())
        for entry in superfluous { try folder.remove(entry) }
        let result = Result(
            folder: path, manifest: made.stem + BackupManifest.ending, copy: made.manifest,
            masterKeyFile: settings.masterKeyPath, removed: superfluous.map(\.stem))
        try output.print(result) { text(of: result) }
    }

    private func text(of result: Result) -> String {
        let copy = result.copy
        let size = ByteCountFormatter.string(fromByteCount: Int64(copy.copy.bytes), countStyle: .file)
        let counts =
            "records of organizations: \(copy.rows["organization"] ?? 0), of people: \(copy.rows["person"] ?? 0)"
        return """
            Made \(result.folder)/\(copy.copy.file) (\(size)) and read it back; \(counts).\
            \(result.removed.isEmpty ? "" : " Removed \(result.removed.count) older.")\
            \(copy.erasures == nil ? " Its schema is that of an older version: there is no list of erasures." : "")

            What is sealed in it can be opened with the master key \(result.masterKeyFile) alone, which is not in the copy. \
            Keep that key in another place than the copies.
            """
    }
}
