import Administration
import CommandOutput
import Directory
import Foundation
import Ground
import RosterFiles

/// The folder with all that an organization takes with it.
struct HandOverFolder {
    let path: String

    struct Report: Encodable {
        let folder: String
        let organization: String
        let people: Int
        let classes: Int
    }

    /// Writes into a folder beside the one that is asked for, which gets its name when it is whole.
    /// - Throws: ``Failure`` if the folder is there already or cannot be written
    func write(_ handOver: HandOver, _ administrator: Administrator) async throws -> Report {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Failure("\(path) is there already. Choose another name, or delete it first.")
        }
        let partial = path + ".partial"
        guard !FileManager.default.fileExists(atPath: partial) else {
            throw Failure("\(partial) is left from an attempt that was interrupted. Delete it first.")
        }
        do {
            try Folder.make(partial)
            let report = try await fill(partial, handOver, administrator)
            try FileManager.default.moveItem(atPath: partial, toPath: path)
            return report
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }

    private func fill(
        _ folder: String, _ handOver: HandOver, _ administrator: Administrator
    ) async throws -> Report {
        let organization = handOver.organization
        if organization.kind == .school {
            _ = try await RosterExporter(database: administrator.database, surroundings: administrator.surroundings)
                .export(
                    organization: organization.id, to: "\(folder)/roster", actor: .operator, origin: .commandLine)
        }
        let settings = try JSONEncoder.administration.encode(try await handOver.settings())
        try write("\(folder)/settings.json") { try $0.write(contentsOf: settings + Data("\n".utf8)) }
        let people = try await lines("\(folder)/people.jsonl") { write in
            try await handOver.people { try write(try JSONEncoder.administration.encode($0)) }
        }
        let classes = try await lines("\(folder)/classes.jsonl") { write in
            try await handOver.classes { try write(try JSONEncoder.administration.encode($0)) }
        }
        // Before the trail is written, so that it has this entry too.
        try await handOver.note(people: people, classes: classes)
        _ = try await AuditExportFile(organization: .named(organization.publicID))
            .write(from: administrator, to: "\(folder)/audit.jsonl")
        try write("\(folder)/README.txt") {
            try $0.write(contentsOf: Data(Self.readme(of: organization, at: administrator.surroundings.now()).utf8))
        }
        return Report(folder: path, organization: organization.name, people: people, classes: classes)
    }

    private func write(_ file: String, _ body: (FileHandle) throws -> Void) throws {
        let handle = try open(file)
        try body(handle)
        try handle.close()
    }

    /// A file with one JSON object a line.
    private func lines(
        _ file: String, _ body: (_ write: (Data) throws -> Void) async throws -> Int
    ) async throws -> Int {
        let handle = try open(file)
        let count = try await body { try handle.write(contentsOf: $0 + Data("\n".utf8)) }
        try handle.close()
        return count
    }

    private func open(_ file: String) throws -> FileHandle {
        // A new file is readable for its owner alone, see `Lanyard.main`.
        guard FileManager.default.createFile(atPath: file, contents: nil),
            let handle = FileHandle(forWritingAtPath: file)
        else {
            throw Failure("\(file) cannot be written: check that you may write to the folder, and that it has room.")
        }
        return handle
    }

    private static func readme(of organization: Organization, at now: Date) -> String {
        let roster = """
            roster/        The six CSV files locations, students, staff, courses, classes and
                           rosters, as `lanyard import` and other systems read them. They have the
                           people and classes that came from such files. Who was added by hand is
                           in people.jsonl and classes.jsonl.

            """
        return """
            \(organization.name), as it was on \(CalendarDay(now).text) (UTC)

            This folder has everything that the server held about the organization and its
            people. It is about children: keep it as you would keep their files, and delete it
            when nobody needs it any more.

            \(organization.kind == .school ? roster : "")\
            people.jsonl   All that is known of each person, one JSON object a line: the record with
                           names and address, roles, classes, sign-ins, devices, apps, and the
                           history. Times are in UTC. It is what `lanyard person data` gives.
            classes.jsonl  The classes with their members, one JSON object a line, those too that
                           are archived.
            settings.json  The settings, domains and locations; terms; which apps people may sign
                           in to and which may read; consents, also those that have ended; what
                           apps are not shown; after how long what is erased, and legal holds.
            audit.jsonl    The audit trail: who did what, and who has read data of whom. Numbers
                           stand for people, PE-12 or person:12 for the person with the number 12
                           in people.jsonl. `lanyard audit verify audit.jsonl` proves, without this
                           server, that no line was changed, added or taken out.

            Not in it, because they are secret or are worth nothing elsewhere: passwords, keys,
            tokens, sessions, and the ids that apps have of people. Whoever moves to another
            server gets new passwords there, and connects apps anew.

            """
    }
}
