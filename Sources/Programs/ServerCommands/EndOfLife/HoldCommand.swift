import Administration
import ArgumentParser
import CommandOutput

struct HoldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Legal holds, which keep people from being erased for a time.",
        subcommands: [HoldAddCommand.self, HoldEndCommand.self, HoldListCommand.self])
}

struct HoldAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Keep a person, or everybody of the organization, from being erased until a day.",
        discussion: """
            For example:
              lanyard hold add --person nadia@maple.example --reason "Accident of 12 May, insurance" --until 2028-12-31
              lanyard hold add --reason "Audit by the ministry" --until 2027-03-31
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Option(help: "The person: user name, person id, or number. Everybody if it is left out.")
    var person: String?

    @Option(help: "Why. The person may ask for it.")
    var reason: String

    @Option(help: "The last day, such as 2028-12-31.")
    var until: String

    func run() async throws {
        let hold = try await Deployment.administrate(global) {
            try await $0.perform(
                AddHold(person: person.map(PersonReference.init), reason: reason, until: until),
                in: organization.reference
            ).answer
        }
        try output.print(hold) {
            """
            \(hold.fullName.map { "\($0) is not" } ?? "Nobody is") erased up to \(hold.until): this is hold \(hold.hold). \
            `lanyard hold end \(hold.hold)` ends it before.
            """
        }
    }
}

struct HoldEndCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End a legal hold before its last day.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The number of the hold, as `lanyard hold list` shows it.")
    var hold: String

    func run() async throws {
        let ended = try await Deployment.administrate(global) {
            try await $0.perform(EndHold(hold: hold), in: organization.reference).answer
        }
        try output.print(ended) { "Legal hold \(ended.hold) is over. What was due meanwhile goes with the next day." }
    }
}

struct HoldListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List legal holds with their reasons, also those that are over.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListHolds(), in: organization.reference)
        }
        try output.print(answer) {
            if answer.holds.isEmpty { return "There is no legal hold." }
            return Table.text(
                ["HOLD", "OF", "UNTIL", "STATE", "REASON"],
                answer.holds.map {
                    [
                        "\($0.hold)", $0.fullName ?? "everybody", $0.until,
                        $0.isInForce ? "in force" : $0.endedAt.map { "ended \($0.minuteText)" } ?? "over", $0.reason,
                    ]
                })
        }
    }
}
