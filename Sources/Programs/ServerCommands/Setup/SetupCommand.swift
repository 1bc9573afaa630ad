import ArgumentParser
import CommandOutput
import Directory
import Foundation
import Ground
import Schema
import ServerHTTP
import Storage

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Set a server up: five questions, then a one-time link to make an administrator's account.",
        discussion: """
            Asks for the organization's name, its domain, the server's address, mail and database; looks whether name, certificate, \
            mail server, database and clock are right; writes the settings, in which everything else stays as it is; and makes the \
            organization. With --from the answers come from a JSON file, and a second run with the same file changes nothing.

            Exit code 1 if nothing could be done, or with --check if something is wrong; 2 for answers in the file that cannot be. \
            Nothing was changed then.

            For example:
              lanyard setup
              lanyard setup --from answers.json --json
              lanyard setup --from answers.json --check
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help:
            "A JSON file with the answers: name, domain, address, and mail and database if you want; - for standard input.",
        completion: .file(extensions: ["json"]))
    var from: String?

    @Flag(help: "Only look, with the answers of the file or else the settings so far. Changes nothing.")
    var check = false

    func validate() throws {
        guard global.database == nil else {
            throw ValidationError("The database is one of the answers: leave --database out.")
        }
    }

    private struct Result: Encodable {
        let isWell: Bool
        /// What was changed, as names of settings, `organization` and `domain`; with --check what would be.
        let changed: [String]
        let settings: String
        let findings: [DoctorFinding]
        /// Only for an organization that was made now.
        var organization: String?
        var link: String?
        var expiresAt: Date?
    }

    func run() async throws {
        guard try global.remote == nil else { throw Failure.onlyHere }
        let current = try await Settings(global)
        let owner = DataOwner.of(current.dataFolder)
        if check, from == nil { return try await lookAround(current, owner) }

        let before = try settingsText(current.filePath)
        let (answers, isAsked) = try await answers(current, owner)
        let password = passwordFile(current)
        var text = before
        var changed = try answers.apply(
            to: &text, fileDatabase: Self.whole(current.databaseFile), passwordFile: password)
        if let content = answers.mailPassword, FileManager.default.contents(atPath: password) != Data(content.utf8),
            !changed.contains("mail.smtp.passwordFile")
        {
            changed.append("mail.smtp.passwordFile")
        }

        // What will be, in a folder of its own, so that it can be looked at before anything is changed.
        let trial = try Trial(text, answers, replacing: password, owner)
        defer { trial.remove() }
        let planned = try await trial.settings(global, named: current.filePath)
        let server = try await DataOwner.run(as: owner) { try await planned.server() }
        try refuseWhatIsOverridden(answers, server, planned, current)
        let isAtHome = Self.isSameDatabase(planned.databaseLocation, current.databaseLocation)
        let database = try await DataOwner.run(as: owner) {
            await DatabaseExamination.beforeSetup(at: planned.databaseLocation)
        }
        guard database.status != .problem else { throw Failure("\(database.message) \(database.remedy ?? "")") }
        let state = try await DataOwner.run(as: owner) { try await self.state(current, planned, isAtHome: isAtHome) }
        if let reason = state.refusal(
            of: answers, baseURL: current.text("baseURL"), movesDatabase: !isAtHome)
        {
            throw Failure("\(reason)\nNothing was changed.")
        }
        if !state.has(answers.name) { changed.append("organization") }
        if !state.organizations.contains(where: { $0.domains.contains(answers.domain) }) { changed.append("domain") }
        let findings = try await DataOwner.run(as: owner) {
            await [database] + SettingsExamination(settings: planned).findings()
                + NetworkExamination(settings: planned, now: Surroundings.system.now()).findings()
        }
        let report = DoctorReport(findings)
        if check {
            try show(
                Result(
                    isWell: report.isWell, changed: changed, settings: current.filePath, findings: findings),
                report, "Nothing was changed.")
            if !report.isWell { throw ExitCode.failure }
            return
        }
        guard !changed.isEmpty else {
            return try show(
                Result(
                    isWell: report.isWell, changed: [], settings: current.filePath, findings: findings), report,
                """
                All of this is so already: nothing was changed. For another link for an administrator: \
                `lanyard init --name '\(answers.name)'`
                """)
        }
        // What is needed of it is read, and nobody knows how long the answer takes.
        trial.remove()
        if isAsked { try confirm(answers, report, current.filePath) }
        let made = try await carryOut(answers, text, before, owner, settings: current, password: password)
        let link = made.linkPath.map { server.baseURL + $0 }
        try show(
            Result(
                isWell: report.isWell, changed: changed, settings: current.filePath, findings: findings,
                organization: made.isNew ? made.organization.publicID : nil, link: link,
                expiresAt: link.map { _ in Surroundings.system.now().addingTimeInterval(Invitation.lifetime) }),
            isAsked ? nil : report, afterwards(answers, current, link))
    }

    // MARK: The answers

    private func settingsText(_ path: String) throws -> SettingsText {
        guard FileManager.default.fileExists(atPath: path) else { return try SettingsText(nil) }
        guard let content = FileManager.default.contents(atPath: path) else {
            throw Failure("The settings \(path) cannot be read. Run this as root, or as the user to whom they belong.")
        }
        do {
            return try SettingsText(String(decoding: content, as: UTF8.self))
        } catch let failure as Failure {
            throw Failure("\(path): \(failure)")
        }
    }

    private func answers(_ current: Settings, _ owner: DataOwner?) async throws -> (SetupAnswers, isAsked: Bool) {
        if let from { return (try answers(from: from), false) }
        guard OwnTerminal.isThere else {
            throw Failure("There is no terminal to ask at. Put the answers into a file, and name it with --from.")
        }
        let interview = SetupInterview(terminal: OwnTerminal(), presets: SetupPresets(current)) { choice in
            let location =
                switch choice {
                case .asItIs: current.databaseLocation
                case .file: current.databaseFile
                case .server(let address): address
                }
            let finding = try await DataOwner.run(as: owner) { await DatabaseExamination.beforeSetup(at: location) }
            guard finding.status != .problem else { throw Failure("\(finding.message) \(finding.remedy ?? "")") }
        }
        return (try await interview.answers(), true)
    }

    private func answers(from path: String) throws -> SetupAnswers {
        let content =
            path == "-" ? try FileHandle.standardInput.readToEnd() : FileManager.default.contents(atPath: path)
        guard let content else { throw Failure("The file \(path) cannot be read.") }
        let answers: SetupAnswers
        do {
            answers = try SetupAnswers(reading: content)
        } catch {
            printToStandardError(
                "\(path) cannot be taken, and nothing was changed:\n"
                    + error.sentences.map { "  \($0)" }.joined(separator: "\n"))
            throw ExitCode.defects
        }
        // The mode of the file itself counts: a link has none of its own.
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let mode = try? FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
        guard path == "-" || !answers.hasSecret || (mode?.intValue ?? 0) & 0o007 == 0 else {
            throw Failure("\(path) has a password, and every user of this machine can read it. Run `chmod o= \(path)`.")
        }
        return answers
    }

    /// The password of the mail server is beside the settings, as a file of its own. What is written into settings has to mean the same
    /// in every folder.
    private func passwordFile(_ settings: Settings) -> String {
        let folder = URL(fileURLWithPath: Self.whole(settings.filePath)).deletingLastPathComponent().path
        return "\(folder)/smtp-password"
    }

    /// A path that begins with `/`.
    private static func whole(_ path: String) -> String { URL(fileURLWithPath: path).absoluteURL.path }

    // MARK: Looking

    /// Looks at a server with its settings so far.
    private func lookAround(_ current: Settings, _ owner: DataOwner?) async throws {
        let findings = try await DataOwner.run(as: owner) {
            await [DatabaseExamination.beforeSetup(at: current.databaseLocation)]
                + SettingsExamination(settings: current).findings()
                + NetworkExamination(settings: current, now: Surroundings.system.now()).findings()
        }
        let report = DoctorReport(findings)
        try show(
            Result(
                isWell: report.isWell, changed: [], settings: current.filePath, findings: findings),
            report, "Nothing was changed.")
        if !report.isWell { throw ExitCode.failure }
    }

    /// Options and the environment win over the file, so answers that they contradict would come to nothing.
    private func refuseWhatIsOverridden(
        _ answers: SetupAnswers, _ server: ServerConfiguration, _ planned: Settings, _ current: Settings
    ) throws {
        var overridden: [String] = []
        if server.baseURL != answers.baseURL { overridden.append("baseURL") }
        switch answers.database {
        case .asItIs: break
        case .file:
            if !Self.isSameDatabase(planned.databaseLocation, current.databaseFile) { overridden.append("database") }
        case .server(let address):
            if planned.databaseLocation != address { overridden.append("database") }
        }
        let mail: [(String, String?)] =
            switch answers.mail {
            case .asItIs: []
            case .off: [("mail.smtp.url", nil), ("mail.maildir", nil)]
            case .server(let server):
                [("mail.from", server.from), ("mail.smtp.url", server.url), ("mail.smtp.userName", server.userName)]
            }
        overridden += mail.filter { planned.text($0.0) != $0.1 }.map(\.0)
        // These count before the file as well, with whatever answers.
        if case .server = answers.mail {
            let keys = ["mail.smtp.passwordFile", "mail.smtp.caFile", "mail.operator"]
            overridden += keys.filter { current.variable(for: $0) != nil }
        }
        guard overridden.isEmpty else {
            throw Failure(
                """
                The environment (for a service, /etc/lanyard/environment) says otherwise, and wins over the settings: \
                \(overridden.map(Settings.variable).joined(separator: ", ")). Take it away there, or answer the same. Nothing was changed.
                """)
        }
    }

    /// The organizations of the database of the settings so far, and of the one that the answers name. Where both are the same, the
    /// way of the answers is taken: a password in the settings may be an old one.
    private func state(_ current: Settings, _ planned: Settings, isAtHome: Bool) async throws -> SetupState {
        if !isAtHome {
            let state = try await state(of: current.databaseLocation)
            if !state.organizations.isEmpty { return state }
        }
        return try await state(of: planned.databaseLocation)
    }

    /// Whether two locations name the same database. In an address of PostgreSQL user and password do not count.
    static func isSameDatabase(_ one: String, _ other: String) -> Bool {
        guard namesServer(one), namesServer(other) else { return whole(one) == whole(other) }
        guard let place = try? PostgresAddress(one).place else { return one == other }
        return place == (try? PostgresAddress(other).place)
    }

    private func state(of location: String) async throws -> SetupState {
        if !namesServer(location) {
            guard FileManager.default.fileExists(atPath: location),
                try isSQLiteFile(location, withTable: "schema_step")
            else { return SetupState() }
        }
        let database = try openDatabase(at: location)
        do {
            let state = try await database.read { transaction -> SetupState in
                guard let step = try transaction.appliedStep() else { return SetupState() }
                let known = Schema.migrations.count
                guard step <= known else { throw DatabaseError.newerSchema(found: step, known: known) }
                guard step == known else {
                    throw Failure(
                        """
                        The database is that of an older version. Make a copy (`lanyard backup`), start the server once, which brings \
                        it up to date, and run this again. Nothing was changed.
                        """)
                }
                return try SetupState(in: transaction)
            }
            await database.close()
            return state
        } catch {
            await database.close()
            throw error
        }
    }

    // MARK: Doing it

    private func confirm(_ answers: SetupAnswers, _ report: DoctorReport, _ path: String) throws {
        printToStandardError("\n\(report.text)\n")
        let terminal = OwnTerminal()
        terminal.say("\(answers.name) (\(answers.domain)) at \(answers.baseURL). The settings go into \(path).")
        let answer = terminal.line("Set it up? [Y/n] ", hidden: false)?.trimmingSpaces.lowercased()
        guard let answer, ["", "y", "yes"].contains(answer) else { throw Failure("Nothing was changed.") }
    }

    private func carryOut(
        _ answers: SetupAnswers, _ text: SettingsText, _ before: SettingsText, _ owner: DataOwner?, settings: Settings,
        password: String
    ) async throws -> Founding.Result {
        let files = SettingsFiles(owner: owner)
        do {
            try await makeFolder(settings, owner)
            if let content = answers.mailPassword { try files.write(Data(content.utf8), to: password) }
            if text != before {
                if before.value(["baseURL"]) != nil || before.value(["mail"]) != nil {
                    try files.write(Data(before.text.utf8), to: "\(settings.filePath).before-setup")
                }
                try files.write(Data(text.text.utf8), to: settings.filePath, isSecret: answers.hasSecret)
            }
            return try await DataOwner.run(as: owner) {
                try await Deployment.with(global) { deployment, _ in
                    let founding = try Founding(name: answers.name, kind: answers.kind, domains: [answers.domain])
                    return try await founding.perform(in: deployment, linksAgain: false)
                }
            }
        } catch {
            files.restore()
            throw error
        }
    }

    /// The settings may be the first thing in the folder of the data.
    private func makeFolder(_ settings: Settings, _ owner: DataOwner?) async throws {
        let folder = URL(fileURLWithPath: settings.filePath).deletingLastPathComponent().path
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        try await DataOwner.run(as: owner) { try Folder.make(folder) }
    }

    private func show(_ result: Result, _ report: DoctorReport?, _ last: String) throws {
        try output.print(result) { [report?.text, last].compactMap { $0 }.joined(separator: "\n\n") }
    }

    private func afterwards(_ answers: SetupAnswers, _ settings: Settings, _ link: String?) -> String {
        let start =
            CommandWord.isPackaged ? "systemctl enable --now lanyard" : "lanyard serve"
        let again = start.hasPrefix("systemctl") ? "systemctl restart lanyard" : "start it anew"
        guard let link else {
            return "The settings in \(settings.filePath) were changed. They count from the next start on: \(again)."
        }
        return """
            \(answers.name) is set up, and the settings are in \(settings.filePath). Next:

              1. Start the server: \(start)
              2. If it has none yet, give it a reverse proxy with a certificate: docs/operate/reverse-proxies.md
              3. Open this link once, within a day, to make an administrator's account:

                \(link)
            """
    }
}

/// Settings as they would be, in a folder that nobody else can read.
private struct Trial {
    private let folder: String
    private var path: String { "\(folder)/lanyard.json" }

    /// - Parameter passwordFile: the file of the mail server's password, which the trial has beside its own settings.
    init(
        _ text: SettingsText, _ answers: SetupAnswers, replacing passwordFile: String, _ owner: DataOwner?
    ) throws {
        folder =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("lanyard-setup-\(Surroundings.system.randomBytes(16).hexadecimal)").path
        guard mkdir(folder, 0o700) == 0 else {
            throw Failure("The folder \(folder) cannot be made: \(String(cString: strerror(errno))).")
        }
        Self.removeAtSignal(folder)
        var text = text
        if let password = answers.mailPassword {
            try text.set(["mail", "smtp", "passwordFile"], to: "\(folder)/smtp-password")
            try put(password, "smtp-password")
        }
        try put(text.text, "lanyard.json")
        // The folder last: whoever has it could put links in the place of the files.
        if let owner {
            let files = Self.names.map { "\(folder)/\($0)" }.filter(FileManager.default.fileExists)
            for path in files + [folder] { lchown(path, owner.user, owner.group) }
        }
    }

    private func put(_ text: String, _ name: String) throws {
        let path = "\(folder)/\(name)"
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else {
            remove()
            throw Failure("\(path) cannot be written.")
        }
    }

    /// - Parameter path: what the settings are called where something is said about them.
    func settings(_ global: GlobalOptions, named path: String) async throws -> Settings {
        var global = global
        global.config = self.path
        var settings = try await Settings(global)
        settings.filePath = path
        return settings
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
        for number in Self.signals { signal(number, SIG_DFL) }
    }

    // MARK: Interruption

    private static let names = ["lanyard.json", "smtp-password"]
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// The files and then the folder, as C has them, for the handler of signals, which may call little else.
    nonisolated(unsafe) private static var paths: [UnsafeMutablePointer<CChar>] = []

    /// Passwords stay nowhere when somebody presses Ctrl-C while the checks run.
    private static func removeAtSignal(_ folder: String) {
        paths = (names.map { "\(folder)/\($0)" } + [folder]).compactMap { (path: String) in strdup(path) }
        for number in signals {
            signal(number) { number in
                for path in Trial.paths where unlink(path) != 0 { rmdir(path) }
                _exit(128 + number)
            }
        }
    }
}
