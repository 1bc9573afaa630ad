import Administration
import ArgumentParser
import CommandOutput
import Directory

struct RealmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "realm",
        abstract: "Realms of Kerberos whose tickets sign people of an organization in.",
        discussion: "The server needs a keytab for it: see docs/kerberos.md.",
        subcommands: [RealmListCommand.self, RealmSetCommand.self, RealmRemoveCommand.self])
}

struct RealmListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the realms, and how many people their names mean.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListRealms(), in: organization.reference)
        }
        try output.print(answer) {
            if answer.realms.isEmpty { return "There is no realm yet." }
            return Table.text(
                ["REALM", "NAMES ARE", "PEOPLE", "AMBIGUOUS"],
                answer.realms.map { [$0.realm, $0.names, "\($0.people)", "\($0.ambiguous)"] })
        }
    }
}

struct RealmSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Have tickets of a realm sign people in, and say whom its names mean.",
        discussion: """
            A ticket of anna@MAPLE.EXAMPLE signs in whoever has anna as user name, as name in the information system or as \
            person number. If several people have it, it signs in nobody. With --dry-run nothing changes, and the numbers say \
            how many people have a name that a ticket can have.

            For example:
              lanyard org realm set MAPLE.EXAMPLE --matching user-name --domain maple.example
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The realm, such as MAPLE.EXAMPLE.")
    var realm: String

    @Option(help: "What the name before the @ is of a person.")
    var matching: KerberosRealm.Matching

    @Option(help: "For user names: what follows the name and an @.")
    var domain: String?

    @Flag(help: "Change nothing, and say how many people have a name that a ticket can have.")
    var dryRun = false

    func run() async throws {
        if dryRun {
            let reach = try await Deployment.administrate(global) {
                try await $0.ask(ShowRealmReach(matching: matching, domain: domain), in: organization.reference)
            }
            return try output.print(reach) { Self.text(reach.people, reach.ambiguous) }
        }
        let change = SetRealm(realm: realm, matching: matching, domain: domain)
        let record = try await Deployment.administrate(global) {
            try await $0.perform(change, in: organization.reference).answer
        }
        try output.print(record) {
            "Tickets of \(record.realm) sign people in. \(Self.text(record.people, record.ambiguous))"
        }
    }

    private static func text(_ people: Int, _ ambiguous: Int) -> String {
        "People whose name a ticket can have: \(people). People who have the same name as somebody else: \(ambiguous)."
    }
}

struct RealmRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Have tickets of a realm sign nobody in any more.",
        discussion: "Whoever is signed in stays so.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The realm.")
    var realm: String

    private struct Result: Encodable {
        let removed: String
    }

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(RemoveRealm(realm: realm), in: organization.reference).answer
        }
        try output.print(Result(removed: record.realm)) { "Removed \(record.realm)." }
    }
}
