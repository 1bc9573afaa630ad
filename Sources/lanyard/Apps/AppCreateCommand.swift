import ArgumentParser
import Authorization
import Directory
import Storage

struct AppCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Register an app.",
        discussion: """
            The app can ask an organization for its roster when the organization's list allows it (`lanyard access allow`) \
            and its team has a key (`lanyard key create`).
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption
    @OptionGroup var development: DevelopmentOption

    @Argument(help: "The name, as administrators see it when they are asked to allow the app.")
    var name: String

    @Option(
        name: .customLong("client-id"),
        help: "A client id, such as com.example.quizzler. May be repeated; the first is the primary one.")
    var clientIDs: [String]

    @Option(
        name: .customLong("return-url"), help: "An address that receives authorization codes. May be repeated.")
    var returnURLs: [String] = []

    @Option(name: .customLong("scope"), help: "What the app may ask for. May be repeated.")
    var scopes: [Scope]

    @Option(name: .customLong("notification-url"), help: "The address that is told when a consent is revoked.")
    var notificationURL: String?

    func run() async throws {
        let teamSelector = team.selector
        let (name, clientIDs, scopes) = (name, clientIDs, ScopeSet(Set(scopes)))
        let addresses = AppAddresses(returnURLs: returnURLs, notificationURL: notificationURL)
        let isDevelopment = development.development
        let report = try await Deployment.withExisting(global) { deployment, settings in
            let addresses = try addresses.checked(allowingLoopback: isDevelopment || settings.isDevelopment)
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let team = try teamSelector.find(in: transaction)
                let app = try App.insert(
                    name: name, team: team.id, clientIDs: clientIDs, returnURLs: addresses.returnURLs, scopes: scopes,
                    notificationURL: addresses.notificationURL?.text, at: now, in: transaction)
                try AuditEntry(
                    .appCreated, by: .operator, on: "app:\(app.id.rawValue)", outcome: .done, detail: scopes.text,
                    from: .commandLine
                ).append(to: nil, at: now, in: transaction)
                return try AppReport(app, in: transaction)
            }
        }
        try output.print(report) { "Registered.\n\n\(report.text)" }
    }
}

/// `--development`, where addresses are registered.
struct DevelopmentOption: ParsableArguments {
    @Flag(help: "Take http addresses on loopback too, for a development server.")
    var development = false
}

/// Addresses as they were typed.
struct AppAddresses: Sendable {
    let returnURLs: [String]
    let notificationURL: String?

    /// - Throws: ``ReturnURL/Problem``, ``NotificationURL/Problem``
    func checked(allowingLoopback: Bool) throws -> (returnURLs: [ReturnURL], notificationURL: NotificationURL?) {
        (
            try returnURLs.map { try ReturnURL($0, allowingLoopback: allowingLoopback) },
            try notificationURL.map { try NotificationURL($0, allowingLoopback: allowingLoopback) }
        )
    }
}
