import Administration
import ArgumentParser
import CommandOutput
import Directory

struct AuditListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the entries, the newest first.",
        discussion: """
            For example:
              lanyard audit list --person nadia@maple.example --action sign-in --from 2026-08-01
              lanyard audit list --app Quizzler --action consent
              lanyard audit list --at "Maple Elementary" --outcome refused
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Flag(help: "List the chain of the server itself.")
    var ofServer = false

    @Option(help: "Only what this person did, or what was done to them: user name, person id or number.")
    var person: String?

    @Option(help: "Only what is about this app, or what it did: its client id or its exact name.")
    var app: String?

    @Option(help: "Only this action, such as person.changed, or those that begin with this word, such as person.")
    var action: String?

    @Option(
        help:
            "Only what concerns this location and whoever holds a role there: its id, its name, or LO: and its number.")
    var at: String?

    @Option(help: "Only what was done, or what was refused.")
    var outcome: AuditEntry.Outcome?

    @OptionGroup var time: AuditTimeOptions

    func validate() throws {
        if ofServer, organization.organization != nil {
            throw ValidationError("--of-server lists the chain of no organization: leave out --org.")
        }
        if ofServer, at != nil {
            throw ValidationError("The chain of the server has no locations: leave out --at.")
        }
    }

    func run() async throws {
        let list = ListAudit(
            person: person.map(PersonReference.init), app: app.map(AppReference.init), action: action,
            at: at.map(LocationReference.init), from: time.from?.date, until: time.until?.date, outcome: outcome,
            ofServer: ofServer ? true : nil, before: time.before, limit: time.limit)
        let answer = try await Deployment.administrate(global) { try await $0.ask(list, in: organization.reference) }
        try output.print(answer) {
            let hint = AuditTimeOptions.hint(answer.next)
            if answer.entries.isEmpty {
                return "There is no such entry\(answer.next == nil ? "" : " up to here")." + hint
            }
            return Table.text(
                ["NUMBER", "TIME (UTC)", "WHO", "WHAT", "ON", "OUTCOME", "FROM", "DETAIL"],
                answer.entries.map {
                    [
                        "\($0.number)", $0.at.minuteText, answer.names.naming($0.actor), $0.action,
                        answer.names.naming($0.subject), $0.outcome, $0.origin, $0.detail,
                    ]
                }) + hint
        }
    }
}

extension AuditEntry.Outcome: ExpressibleByArgument {}
