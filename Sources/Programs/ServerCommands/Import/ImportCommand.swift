import Administration
import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Foundation
import RosterFiles
import Storage

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Update an organization's people and classes from six CSV files, or a business's people from one.",
        discussion: """
            Everything is read first, and every defect reported. An import that would take away or change much is held \
            until you approve the plan that was shown. It is applied as a whole or not at all.

            A person id stands for one person for ever. Where the files give one to what looks like somebody else, the \
            import is held for an approval of its own; --new-person makes a new account instead.

            Exit codes: 0 applied or nothing to do, 2 the files have errors, 3 held for approval.

            For example:
              lanyard import roster.zip --plan
              lanyard import roster.zip
              lanyard import --undo
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var output: OutputOptions

    @Argument(
        help: """
            A folder or a ZIP with locations, students, staff, courses, classes and rosters.csv. For a business, staff.csv \
            by itself, in a folder or in a ZIP.
            """,
        completion: .file())
    var files: String?

    @Flag(help: "Show what would change, and change nothing.")
    var plan = false

    @Option(
        help: ArgumentHelp(
            "With --plan: list the people whom it concerns, all or those who come, change or leave.",
            valueName: "who"))
    var show: [PlannedPeople] = []

    @Option(help: "With --show: only at this location, by its location_id.")
    var at: String?

    @OptionGroup var page: PageOptions

    @Option(help: "The term to which the classes of the files belong, by its name: see `lanyard term add`.")
    var term: String?

    @Option(
        help: ArgumentHelp(
            """
            The files are those of this school alone, and change nothing at others: its location_id, name, or LO: and \
            number. May be repeated for schools with one information system.
            """, valueName: "location"))
    var school: [String] = []

    @Option(help: "Apply the held plan with this id. Refused if the plan is no longer the one that was shown.")
    var approve: String?

    @Option(
        help: """
            Apply the plan of this id although it gives person ids to what looks like other people: they are the same \
            ones under other names.
            """)
    var approveIdentities: String?

    @Option(
        help: ArgumentHelp(
            """
            This person_id has been given to somebody else: make a new account for the row, and deactivate the former \
            one.
            """, valueName: "person-id"))
    var newPerson: [String] = []

    @Option(help: "The same for each line of a file.", completion: .file())
    var newPeople: String?

    @Flag(help: "Take back the last import that was not taken back yet.")
    var undo = false

    @Flag(help: "List the imports that were applied, the newest first.")
    var history = false

    func validate() throws {
        guard files != "" else { throw ValidationError("The name of the files is empty.") }
        guard [undo, history, files != nil].count(where: \.self) == 1 else {
            throw ValidationError("Name the files, or say --undo or --history.")
        }
        let isApproved = approve != nil || approveIdentities != nil
        guard !(plan && isApproved) else { throw ValidationError("--plan and an approval contradict each other.") }
        let isPlain = newPerson.isEmpty && newPeople == nil && term == nil && school.isEmpty
        guard !(undo || history) || (!plan && !isApproved && isPlain) else {
            throw ValidationError("\(undo ? "--undo" : "--history") stands alone.")
        }
        guard show.isEmpty || plan else { throw ValidationError("--show belongs to --plan.") }
        guard at == nil || !show.isEmpty else { throw ValidationError("--at belongs to --show.") }
    }

    func run() async throws {
        if history { return try await showHistory() }
        if undo { return try await undoLast() }
        let selector = organization.selector
        let (files, term, school) = (files!, term, school)  // validate() requires the files
        guard FileManager.default.fileExists(atPath: files) else { throw Failure("There is no \(files).") }
        let newPeople = try idsOfNewPeople()
        let mode =
            plan ? RosterImporter.Mode.planOnly(show: query) : .apply(approval: approve, identities: approveIdentities)
        let progress = ProgressBar()
        let report = try await Deployment.withExisting(global) { deployment, settings in
            let (organization, schools) = try await deployment.database.read { transaction in
                let organization = try selector.findToChange(in: transaction)
                return (organization, try Self.find(school, in: organization, transaction))
            }
            let mail = try await deployment.administratorMail(settings)
            let report = try await RosterImporter(
                database: deployment.database, surroundings: deployment.surroundings
            ).run(
                organization: organization.id, from: files, mode: mode, newPeople: newPeople, term: term,
                schools: schools, actor: .operator,
                origin: .commandLine,
                progress: { progress.show($0) },
                onHeld: { counts, transaction in
                    func people(_ count: KeyPath<RecordCounts, Int>) -> Int {
                        counts.students[keyPath: count] + counts.staff[keyPath: count]
                    }
                    try mail.tell(
                        ofHeldImportOf: organization.id, coming: people(\.added) + people(\.reactivated),
                        changing: people(\.changed), leaving: people(\.deactivated), in: transaction)
                })
            if report.outcome == .applied { try await Self.tellOfDepartures(in: deployment) }
            return report
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

/// The values of the option that lists people of a plan.
enum PlannedPeople: String, ExpressibleByArgument, CaseIterable {
    case people
    case coming
    case changing
    case leaving

    fileprivate var effects: [PlannedPerson.Effect] {
        switch self {
        case .people: PlannedPerson.Effect.allCases
        case .coming: [.comes, .comesInstead, .returns]
        case .changing: [.changes]
        case .leaving: [.leaves]
        }
    }
}

extension ImportCommand {
    private var query: PlanListing.Query? {
        guard !show.isEmpty else { return nil }
        return PlanListing.Query(
            effects: Set(show.flatMap(\.effects)), location: at?.precomposedStringWithCanonicalMapping,
            after: page.after, limit: page.limit)
    }

    private static func find(
        _ schools: [String], in organization: Organization, _ transaction: some Transaction
    ) throws -> [LocationID] {
        do {
            return try schools.map { try LocationReference($0).findSchool(in: organization, transaction) }
        } catch let error as OperationError {
            throw Failure(OperationFailure(error)?.textWithCommands ?? error.description)
        }
    }

    private func idsOfNewPeople() throws -> Set<String> {
        var ids = newPerson
        if let newPeople {
            guard let text = try? String(contentsOfFile: newPeople, encoding: .utf8) else {
                throw Failure("\(newPeople) cannot be read as UTF-8 text. It holds one person_id a line.")
            }
            ids += text.split(whereSeparator: \.isNewline).map(String.init)
        }
        return Set(ids.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty })
    }

    /// The options that the next command must repeat to make the same plan.
    private var newPeopleAgain: [String] {
        newPerson.flatMap { ["--new-person", $0] } + (newPeople.map { ["--new-people", $0] } ?? [])
            + (term.map { ["--term", $0] } ?? []) + school.flatMap { ["--school", $0] }
    }

    /// Returns a function that makes the text of another command for the same organization and data, to be copied into
    /// a shell.
    private var again: ([String]) -> String {
        let place = [
            ("--org", organization.organization), ("--data", global.data), ("--database", databaseWithoutPassword),
            ("--master-key", global.masterKey), ("--config", global.config),
        ]
        let options = place.flatMap { name, value in value.map { [name, $0] } ?? [] }
        let newPeople = newPeopleAgain
        return {
            (["lanyard", "import"] + $0 + ($0 == ["--undo"] ? [] : newPeople) + options).map(\.quotedForShell).joined(
                separator: " ")
        }
    }

    /// Without the password, because the output may be logged.
    private var databaseWithoutPassword: String? {
        guard let database = global.database, namesServer(database), var address = URLComponents(string: database)
        else { return global.database }
        address.password = nil
        return address.string
    }

    /// Notifies the apps of the people who have left. The server would do that too, but up to a minute later.
    private static func tellOfDepartures(in deployment: Deployment) async throws {
        try await EndedSignIns(database: deployment.database, surroundings: deployment.surroundings)
            .tellOfDepartures(by: .operator, from: .commandLine)
    }

    private func undoLast() async throws {
        let selector = organization.selector
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let organization = try await deployment.database.read { try selector.findToChange(in: $0) }
            let report = try await RosterImporter(
                database: deployment.database, surroundings: deployment.surroundings
            ).undo(organization: organization.id, actor: .operator, origin: .commandLine)
            try await Self.tellOfDepartures(in: deployment)
            return report
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

extension ImportCommand {
    private func showHistory() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListImports(), in: organization.reference)
        }
        try output.print(answer) {
            if answer.imports.isEmpty { return "No import was applied yet." }
            return Table.text(
                ["IMPORT", "AT (UTC)", "FILES", "SCHOOL", "PEOPLE ADDED", "CHANGED", "LEFT", "TAKEN BACK"],
                answer.imports.map { one in
                    func people(_ count: KeyPath<ImportSummary.Effects, Int>) -> String {
                        "\(["students", "staff"].compactMap { one.effects[$0]?[keyPath: count] }.reduce(0, +))"
                    }
                    return [
                        "\(one.number)", one.at.minuteText, String(one.digest.prefix(8)),
                        one.schools?.map(\.name).joined(separator: ", ") ?? "–", people(\.added), people(\.changed),
                        people(\.deactivated), one.undoneAt?.minuteText ?? "–",
                    ]
                })
        }
    }
}

extension String {
    /// Quoted as one word for a POSIX shell, if necessary.
    fileprivate var quotedForShell: String {
        let isPlain = !isEmpty && utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_./:=@%+,".utf8.contains($0) }
        return isPlain ? self : "'\(replacingOccurrences(of: "'", with: #"'\''"#))'"
    }
}
