import Administration
import ArgumentParser
import CommandOutput
import Directory

struct TermCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "term",
        abstract: "Terms and school years, with which classes come and go.",
        discussion: "Classes get into a term by `lanyard import --term`, or by `lanyard class set --term`.",
        subcommands: [
            TermListCommand.self, TermAddCommand.self, TermEditCommand.self, TermCloseCommand.self,
            TermReopenCommand.self,
        ])
}

struct TermListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the terms, closed ones included.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListTerms(), in: organization.reference)
        }
        try output.print(answer) {
            if answer.terms.isEmpty { return "No term. `lanyard term add` makes one." }
            return Table.text(
                ["NAME", "FIRST DAY", "LAST DAY", "LOCATION", "CLASSES", "CLOSED (UTC)"],
                answer.terms.map {
                    [
                        $0.name, $0.firstDay.text, $0.lastDay.text, $0.location ?? "all", "\($0.classes)",
                        $0.closedAt?.minuteText ?? "–",
                    ]
                })
        }
    }
}

struct TermAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a term or a school year.",
        discussion: """
            For example:
              lanyard term add 2026/27 --first-day 2026-08-17 --last-day 2027-07-02
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The name.")
    var name: String

    @Option(help: "The first day, as 2026-08-17.")
    var firstDay: String

    @Option(help: "The last day.")
    var lastDay: String

    @Option(help: "The only place of its classes: a location's id or name. [default: all places]")
    var at: String?

    func run() async throws {
        let change = AddTerm(name: name, firstDay: firstDay, lastDay: lastDay, at: at.map(LocationReference.init))
        let report = try await Deployment.administrate(global) {
            try await $0.perform(change, in: organization.reference).answer
        }
        try output.print(report) { "\(report.name) is from \(report.firstDay.text) to \(report.lastDay.text)." }
    }
}

/// The argument for the term that a command is about.
struct TermArgument: ParsableArguments {
    @Argument(help: "The term, by its exact name.")
    var term: String

    @OptionGroup var organization: OrganizationOption

    var reference: TermReference { TermReference(term) }
}

struct TermEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change the name or the days of a term.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var term: TermArgument

    @Option(help: "The new name.")
    var name: String?

    @Option(help: "The first day, as 2026-08-17.")
    var firstDay: String?

    @Option(help: "The last day.")
    var lastDay: String?

    func validate() throws {
        guard name != nil || firstDay != nil || lastDay != nil else {
            throw ValidationError("Say what to change: --name, --first-day, --last-day.")
        }
    }

    func run() async throws {
        let change = EditTerm(term: term.reference, name: name, firstDay: firstDay, lastDay: lastDay)
        let report = try await Deployment.administrate(global) {
            try await $0.perform(change, in: term.organization.reference).answer
        }
        try output.print(report) { "\(report.name) is from \(report.firstDay.text) to \(report.lastDay.text)." }
    }
}
