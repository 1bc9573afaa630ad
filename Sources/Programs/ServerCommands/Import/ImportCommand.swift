import Administration
import ArgumentParser
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

    @Option(
        help: ArgumentHelp(
            """
            In place of files: those of an earlier import, by its number, or `held` for those that wait for approval. They \
            are kept for \(ImportFiles.days) days.
            """, valueName: "import"))
    var filesOf: String?

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

    @Option(
        help: ArgumentHelp(
            """
            Take back the import of this number, unless later ones have touched what it had changed: --history has the \
            numbers.
            """, valueName: "import"))
    var undoOf: Int64?

    @Option(
        help: ArgumentHelp(
            "Give an import up that waits for approval: `held`, or the id of its plan if several wait.",
            valueName: "plan"))
    var discard: String?

    @Flag(help: "List the imports that were applied, the newest first.")
    var history = false

    @Option(
        help: ArgumentHelp(
            """
            Show what an import has found and changed, by its number, or what one that waits for approval would change: \
            `held`, or the id of its plan if several wait.
            """, valueName: "import"))
    var report: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Say in what the files of two imports differ: the number of the earlier one, and of the later one or `held`.",
            valueName: "import"))
    var compare: [String] = []

    /// What the command does, of which there is one.
    private var deeds: [Bool] {
        [files != nil, filesOf != nil, undo, undoOf != nil, discard != nil, history, report != nil, !compare.isEmpty]
    }

    func validate() throws {
        guard files != "" else { throw ValidationError("The name of the files is empty.") }
        guard deeds.count(where: \.self) == 1 else {
            throw ValidationError(
                "Name the files, or say one of --files-of, --undo, --undo-of, --discard, --history, --report and --compare."
            )
        }
        guard compare.isEmpty || compare.count == 2 else {
            throw ValidationError("--compare takes two imports: the earlier one and the later one.")
        }
        let isApproved = approve != nil || approveIdentities != nil
        guard !(plan && isApproved) else { throw ValidationError("--plan and an approval contradict each other.") }
        let imports = files != nil || filesOf != nil
        let isPlain = newPerson.isEmpty && newPeople == nil && term == nil && school.isEmpty
        guard imports || (!plan && !isApproved && isPlain) else {
            throw ValidationError("\(deedAlone) stands alone.")
        }
        guard show.isEmpty || plan else { throw ValidationError("--show belongs to --plan.") }
        guard at == nil || !show.isEmpty else { throw ValidationError("--at belongs to --show.") }
    }

    /// The option that was given in place of files.
    private var deedAlone: String {
        if undo { return "--undo" }
        if undoOf != nil { return "--undo-of" }
        if discard != nil { return "--discard" }
        if history { return "--history" }
        return report != nil ? "--report" : "--compare"
    }

    func run() async throws {
        if history { return try await showHistory() }
        if let report { return try await showReport(of: ImportReference(report)) }
        if undo { return try await takeBack(ImportReference(ImportReference.last)) }
        if let undoOf { return try await takeBack(ImportReference(undoOf)) }
        if let discard { return try await give(up: ImportReference(discard)) }
        if !compare.isEmpty { return try await showDifference() }
        let change = try change()
        let progress = ProgressBar()
        let found: ImportReport = try await Deployment.administrate(
            global, tellsOfImports: true, progress: { done, _ in progress.show(ImportProgress(step: done)) }
        ) { administrator in
            guard plan else { return try await administrator.perform(change, in: organization.reference).answer }
            let preview = try await administrator.preview(change, in: organization.reference)
            return try JSONDecoder.administration.decode(
                ImportReport.self, from: try JSONEncoder.administration.encode(preview.answer))
        }
        progress.end()
        try output.print(found) { found.text(again: again) }
        switch found.outcome {
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
    private func change() throws -> ImportRoster {
        ImportRoster(
            try source(), approve: approve, approveIdentities: approveIdentities, newPeople: try idsOfNewPeople(),
            term: term, schools: school.isEmpty ? nil : school.map { LocationReference($0) },
            list: show.isEmpty
                ? nil
                : ImportRoster.Listing(
                    effects: Set(show.flatMap(\.effects)).sorted { $0.rawValue < $1.rawValue }, location: at,
                    after: page.after, limit: page.limit))
    }

    /// Files are read where they lie, or sent to the server.
    private func source() throws -> ImportRoster.Source {
        guard let files else { return .kept(ImportReference(filesOf!)) }  // validate() requires one of both
        guard FileManager.default.fileExists(atPath: files) else { throw Failure("There is no \(files).") }
        guard try global.remote != nil else { return .path(files) }
        return .archive(try RosterPackage.archive(at: files))
    }

    private func idsOfNewPeople() throws -> [String] {
        var ids = newPerson
        if let newPeople {
            guard let text = try? String(contentsOfFile: newPeople, encoding: .utf8) else {
                throw Failure("\(newPeople) cannot be read as UTF-8 text. It holds one person_id a line.")
            }
            ids += text.split(whereSeparator: \.isNewline).map(String.init)
        }
        return Set(ids.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }).sorted()
    }

    /// The options that the next command must repeat to make the same plan.
    private var newPeopleAgain: [String] {
        newPerson.flatMap { ["--new-person", $0] } + (newPeople.map { ["--new-people", $0] } ?? [])
            + (term.map { ["--term", $0] } ?? []) + school.flatMap { ["--school", $0] }
    }

    /// Returns a function that makes the text of another command for the same organization and data, to be copied into
    /// a shell. It is for the same files, unless it undoes.
    private var again: ([String]) -> String {
        let options = global.again(in: organization)
        let source = files.map { [$0] } ?? filesOf.map { ["--files-of", $0] } ?? []
        let newPeople = newPeopleAgain
        return { arguments in
            let isUndo = arguments == ["--undo"]
            return (["lanyard", "import"] + (isUndo ? [] : source) + arguments + (isUndo ? [] : newPeople) + options)
                .map(\.quotedForShell).joined(separator: " ")
        }
    }
}

extension String {
    /// Quoted as one word for a POSIX shell, if necessary.
    var quotedForShell: String {
        let isPlain = !isEmpty && utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_./:=@%+,".utf8.contains($0) }
        return isPlain ? self : "'\(replacingOccurrences(of: "'", with: #"'\''"#))'"
    }
}
