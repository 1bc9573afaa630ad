import ArgumentParser
import Foundation
import Hummingbird
import LanyardClient
import Logging

/// A quiz app of another company. It knows Lanyard as any app would: through `LanyardClient` only.
///
/// Quizzler has no accounts of its own yet: whoever reaches its address sees what is stored. So it listens on loopback
/// unless told otherwise.
@main
struct Quizzler: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quizzler",
        abstract: "A quiz app that reads classes from a school's Lanyard server.",
        discussion: "Each option can also be set in the environment: QUIZZLER_CLIENT_ID for --client-id, and so on."
    )

    @OptionGroup var settings: Settings

    func run() async throws {
        var logger = Logger(label: "quizzler")
        logger.logLevel = .notice
        let client = try LanyardClient(configuration: settings.clientConfiguration())
        let store = try ConnectionStore(folder: URL(fileURLWithPath: settings.data))
        let now: @Sendable () -> Date = { Date() }
        let sync = SyncService(
            client: client, store: store, interval: .seconds(settings.syncHours * 3_600), now: now, logger: logger)
        let router = try makeRouter(
            client: client, publicURL: settings.publicURL, store: store, sync: sync, now: now)
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), serverName: "Quizzler"),
            services: [sync],
            logger: logger
        )
        try await application.runService()
    }
}
