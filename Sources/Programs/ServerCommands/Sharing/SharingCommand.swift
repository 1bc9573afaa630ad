import Administration
import ArgumentParser
import CommandOutput
import Directory

struct SharingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sharing",
        abstract: "Which people, classes and fields an app sees of an organization.",
        discussion: """
            Whether an app reads at all is decided by consent and by `lanyard access`; here it is decided how much. \
            Without rules an app sees everybody. Who may sign in to an app does not depend on it.
            """,
        subcommands: [
            SharingShowCommand.self, SharingSetCommand.self, SharingLeaveOutCommand.self, SharingPutBackCommand.self,
            SharingViewAsCommand.self,
        ])
}

/// The argument for the app that a command is about.
struct SharedAppArgument: ParsableArguments {
    @Argument(help: "The app: a client id or its exact name.")
    var app: String

    @OptionGroup var organization: OrganizationOption

    var reference: AppReference { AppReference(app) }
}

struct SharingShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what an app sees, and how much that is.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var app: SharedAppArgument

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.ask(ShowSharing(app: app.reference), in: app.organization.reference)
        }
        try output.print(record) { record.text }
    }
}

struct SharingSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Decide what an app sees, in place of what was decided before.",
        discussion: """
            What is not named is not limited; without any option the app sees everything again, but for people who \
            are left out one by one. Shows first who appears and who disappears. At a terminal it asks for \
            confirmation; in a script it needs --yes.

            For example:
              lanyard sharing set Quizzler --location LOC-1 --role Student --grade 7 --grade 8 --without email
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var app: SharedAppArgument
    @OptionGroup var confirmation: ConfirmationOptions

    @Option(help: "A location whose roles and classes it sees: an id or a name. May be repeated.")
    var location: [String] = []

    @Flag(help: "Count the organization itself as one of the locations.")
    var organizationItself = false

    @Option(help: "A grade whose pupils it sees. May be repeated.")
    var grade: [String] = []

    @Option(
        help: "A role that it sees: \(RosterRole.allCases.map(\.rawValue).joined(separator: ", ")). May be repeated.")
    var role: [RosterRole] = []

    @Option(name: .customLong("class"), help: "A class that it sees, with its members. May be repeated.")
    var rosterClass: [String] = []

    @Option(help: "A field that it does not get: \(SharedField.allCases.map(\.rawValue).joined(separator: ", ")).")
    var without: [SharedField] = []

    func run() async throws {
        func list<Text, Value>(_ texts: [Text], _ value: (Text) -> Value) -> [Value]? {
            texts.isEmpty ? nil : texts.map(value)
        }
        var change = SetSharing(app: app.reference)
        change.locations = list(location) { LocationReference($0) }
        change.organizationItself = organizationItself ? true : nil
        change.grades = list(grade) { $0 }
        change.roles = list(role) { $0 }
        change.classes = list(rosterClass) { ClassReference($0) }
        change.withheld = list(without) { $0 }
        let record = try await confirmation.perform(change, in: app.organization.reference, global, output)
        guard let record else { return }
        try output.print(record) { "Changed.\n\n\(record.text)" }
    }
}

extension RosterRole: ExpressibleByArgument {
    package init?(argument: String) { self.init(lenient: argument) }
}

extension SharedField: ExpressibleByArgument {}
