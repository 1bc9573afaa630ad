import Administration
import ArgumentParser
import CommandOutput

struct AppOfferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offer", abstract: "Offer an app to another team.",
        discussion: """
            Nothing changes until a member of that team accepts it (`lanyard app accept`), within two weeks. \
            `lanyard app transfer --help` says what changes then.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    @Option(help: "The id of the other team, which its members know.")
    var team: String

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(OfferApp(app: AppReference(app), team: team)).answer
        }
        try output.print(record) { "Offered.\n\n\(record.text)" }
    }
}

struct AppWithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Take the offer of an app back.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(WithdrawOffer(app: AppReference(app))).answer
        }
        try output.print(record) { "\(record.name) stays with \(record.teamName)." }
    }
}

struct AppAcceptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Take over an app that another team offers to yours.",
        discussion: "`lanyard app team show` lists the offers. `lanyard app transfer --help` says what changes.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id.")
    var app: String

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.perform(AcceptApp(app: AppReference(app))).answer
        }
        let report = TransferReport(answer)
        try output.print(report) { "Taken over.\n" + report.text }
    }
}

struct AppDeclineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline", abstract: "Say no to an app that another team offers to yours.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id.")
    var app: String

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.perform(DeclineApp(app: AppReference(app))).answer
        }
        try output.print(answer) { "\(answer.declined) stays with the other team." }
    }
}
