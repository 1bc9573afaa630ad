import ArgumentParser
import Foundation
import Hummingbird
import LanyardClient
import Logging

/// A quiz app of another company. Like any app, it uses Lanyard through `LanyardClient` and `LanyardHummingbird` only.
///
/// People sign in with Lanyard and see their own data. The classes of a school are there once it has connected.
/// `Member` links a person who signs in to the roster.
@main
struct Quizzler: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quizzler",
        abstract: "A quiz app that signs people in and reads classes, both from a Lanyard server.",
        discussion: "Each option can also be set in the environment: QUIZZLER_CLIENT_ID for --client-id, and so on."
    )

    @OptionGroup var settings: Settings

    func run() async throws {
        var logger = Logger(label: "quizzler")
        logger.logLevel = .notice
        let client = try LanyardClient(configuration: settings.clientConfiguration())
        let folder = URL(fileURLWithPath: settings.data)
        let store = try ConnectionStore(folder: folder)
        let now: @Sendable () -> Date = { Date() }
        let sync = SyncService(
            client: client, store: store, interval: .seconds(settings.syncHours * 3_600), now: now, logger: logger)
        let router = try makeRouter(
            client: client, publicURL: settings.publicURL, secret: try SessionSecret.load(from: folder),
            people: try PeopleStore(folder: folder), store: store, sync: sync, now: now)
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
