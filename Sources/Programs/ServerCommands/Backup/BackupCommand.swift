import ArgumentParser
import Authorization
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

            With --daily it stays, and makes a copy each day: for containers, where no timer of systemd runs it. It begins at once if \
            there is no copy yet or one was missed, and tries again after an hour if one cannot be made.

            For example:
              lanyard backup /var/backups/lanyard --keep 14 --keep-days 30
              lanyard backup --keep 14 --daily 02:00
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

    @Option(
        help: ArgumentHelp(
            "Stay, and make a copy each day at this time, of the time zone of the machine or of the variable TZ.",
            valueName: "hh:mm"))
    var daily: DailyTime?

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
        guard let daily else { return try await make(in: path, settings) }
        try await stay(in: path, settings, at: daily)
    }

    private func make(in path: String, _ settings: Settings) async throws {
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

    /// Makes copies until somebody ends the process.
    private func stay(in path: String, _ settings: Settings, at time: DailyTime) async throws {
        // The first process of a container ignores signals for which it has no handler. What a copy has left that is interrupted, the next
        // one removes.
        for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(0) } }
        let surroundings = Surroundings.system
        var isTriedAt: Date?
        var isMadeAt: Date?
        while true {
            let now = surroundings.now()
            // The clock may have been wrong, and put right since: what lies ahead says nothing.
            let last = [isMadeAt, newest(in: path, settings, until: now)].compactMap(\.self).filter { $0 <= now }.max()
            let again = isTriedAt.flatMap { $0 <= now ? $0.addingTimeInterval(Self.pause) : nil }
            let due = max(time.next(after: now, last: last, in: .current), again ?? now)
            if due > now {
                printToStandardError("The next copy is made at \(due.minuteText) UTC.")
                try await wait(until: due, surroundings)
            }
            do {
                isTriedAt = surroundings.now()
                try await make(in: path, settings)
                (isMadeAt, isTriedAt) = (isTriedAt, nil)
                fflush(nil)  // otherwise a pipe would keep the lines
            } catch {
                printToStandardError("No copy could be made: \(error)")
            }
        }
    }

    /// In seconds, after a copy that could not be made.
    private static let pause = 3_600.0

    /// In short steps, because the clock can be put forward, and a machine can sleep.
    private func wait(until due: Date, _ surroundings: Surroundings) async throws {
        while case let rest = due.timeIntervalSince(surroundings.now()), rest > 0 {
            try await Task.sleep(for: .seconds(min(rest, 30)))
        }
    }

    /// When the newest copy of this installation was made; nil if there is none. Others may have copies in the folder too.
    private func newest(in path: String, _ settings: Settings, until now: Date) -> Date? {
        guard let key = try? MasterKey.read(path: settings.masterKeyPath) else { return nil }
        let folder = BackupFolder(path: path)
        return folder.entries().first {
            $0.manifest.madeAt <= now && $0.manifest.masterKey == key.fingerprint && folder.isComplete($0)
        }?.manifest.madeAt
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
