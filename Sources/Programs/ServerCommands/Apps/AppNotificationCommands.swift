import Administration
import ArgumentParser
import Authorization
import CommandOutput

struct AppNotificationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications", abstract: "List which notifications of an app have arrived.",
        discussion: "Those of the last month. One that waits is sent at once with `lanyard app resend`.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    @Option(help: "How many to show.")
    var limit = 100

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListNotifications(app: AppReference(app), limit: limit))
        }
        try output.print(answer) {
            if answer.notifications.isEmpty { return "There was none in the last month." }
            return Table.text(
                ["ID", "TYPE", "STATE", "ATTEMPTS", "MADE (UTC)", "DELIVERED (UTC)", "LAST FAILURE"],
                answer.notifications.map {
                    [
                        $0.id, $0.type ?? "–", $0.state.rawValue, "\($0.attempts)", $0.createdAt.minuteText,
                        $0.deliveredAt?.minuteText ?? "–", $0.lastError ?? "–",
                    ]
                })
        }
    }
}

struct AppResendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend", abstract: "Send a notification that waits for its next attempt at once.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    @Argument(help: "The id of the notification, as `lanyard app notifications` shows it.")
    var notification: String

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(ResendNotification(app: AppReference(app), notification: notification)).answer
        }
        try output.print(record) { "It is sent within seconds, by the server that runs." }
    }
}
