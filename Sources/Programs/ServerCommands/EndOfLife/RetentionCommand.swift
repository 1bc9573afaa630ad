import Administration
import ArgumentParser
import CommandOutput
import Directory

struct RetentionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention", abstract: "After how long people and traces of them go.",
        discussion: """
            There is no rule until you set one. The server applies the rules once a day. Legal holds stop them.
            """,
        subcommands: [RetentionListCommand.self, RetentionDueCommand.self, RetentionSetCommand.self])
}

extension RetentionRule.Kind: ExpressibleByArgument {}

struct RetentionListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the rules, and how much is due now.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListRetention(), in: organization.reference)
        }
        try output.print(answer) {
            let hold = answer.rules.lazy.compactMap(\.stoppedByHold).first
            return Table.text(
                ["WHAT", "AFTER DAYS", "DUE NOW", "LAST APPLIED"],
                answer.rules.map {
                    [
                        $0.kind.rawValue, $0.days.map(String.init) ?? "never", $0.due.map(String.init) ?? "–",
                        $0.appliedOn ?? "–",
                    ]
                }) + (hold.map { "\n\nLegal hold \($0) of the whole organization stops all of them." } ?? "")
        }
    }
}

struct RetentionDueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "due", abstract: "Show who is due by a rule, also by one that you only think of.",
        discussion: """
            For example:
              lanyard retention due left-people --days 730
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "left-people, unused-accounts, sessions or imports.")
    var kind: RetentionRule.Kind

    @Option(help: "After how many days; those of the rule if it is left out.")
    var days: Int?

    @Option(help: "Begin after this number, with which the page before ended.")
    var after: Int64?

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ShowDue(kind: kind, days: days, after: after), in: organization.reference)
        }
        try output.print(answer) {
            if answer.people.isEmpty {
                return answer.rows > 0
                    ? "\(answer.rows) entries are older than \(answer.days) days." : "Nothing is due."
            }
            return Table.text(
                ["NUMBER", "USER NAME", "NAME", "KEPT BY"],
                answer.people.map {
                    ["PE-\($0.number)", $0.userName, $0.fullName, $0.keptByHold.map { "legal hold \($0)" } ?? "–"]
                }) + (answer.next.map { "\n\nThere is more: --after \($0)" } ?? "")
        }
    }
}

struct RetentionSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set a rule, or take it away.",
        discussion: """
            left-people: people who were deactivated so long ago are erased. unused-accounts: accounts that are kept by \
            hand, and with which nobody has signed in for so long, are deactivated. sessions: browsers and sessions that \
            were not used for so long are forgotten. imports: the history forgets imports, but for the newest.

            For example:
              lanyard retention due left-people --days 730
              lanyard retention set left-people --days 730
              lanyard retention set left-people --never
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "left-people, unused-accounts, sessions or imports.")
    var kind: RetentionRule.Kind

    @Option(help: "After how many days, from 1 to 36500.")
    var days: Int?

    @Flag(help: "Nothing goes any more.")
    var never = false

    func validate() throws {
        guard (days == nil) == never else { throw ValidationError("Give either --days or --never.") }
    }

    func run() async throws {
        let rule = try await Deployment.administrate(global) {
            try await $0.perform(SetRetention(kind: kind, days: days), in: organization.reference).answer
        }
        try output.print(rule) {
            guard let days = rule.days else { return "No rule for \(kind.rawValue) any more." }
            return """
                \(kind.rawValue) after \(days) days; \(rule.due ?? 0) are due now. `lanyard retention due \(kind.rawValue)` \
                shows them.
                """
        }
    }
}
