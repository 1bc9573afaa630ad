import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct AppCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Register an app.",
        discussion: """
            People can sign in to it with the scopes name and email, if it asks for those. It can ask an organization for \
            its roster when the organization's list allows it (`lanyard access allow`). Its servers authenticate with a key \
            of its team (`lanyard key create`), or a client with a fixed secret (`lanyard app client`).

            For example:
              lanyard app team create "Quizzler Inc."
              lanyard app create Quizzler --client-id com.example.quizzler \\
                  --scope edu.users.read --scope edu.classes.read \\
                  --return-url https://quizzler.example/callback
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

    @OptionGroup var signIn: SignInAddressOptions

    @Option(name: .customLong("scope"), help: "What the app may ask for. May be repeated.")
    var scopes: [Scope]

    @Option(
        name: .customLong("notification-url"), help: "The URL to which a notification goes when a consent is revoked.")
    var notificationURL: String?

    @Flag(
        name: .customLong("require-pkce"),
        help: "Refuse authorization requests without a code_challenge, also of clients with a secret.")
    var requiresPKCE = false

    func run() async throws {
        let teamSelector = team.selector
        let (name, clientIDs, scopes) = (name, clientIDs, ScopeSet(scopes))
        let addresses = AppAddresses(
            returnURLs: returnURLs, notificationURL: notificationURL, nativeReturnURLs: signIn.nativeReturnURLs,
            signOutURLs: signIn.signOutURLs, backChannelLogoutURL: signIn.backChannelLogoutURL)
        let (isDevelopment, requiresPKCE) = (development.development, requiresPKCE)
        let report = try await Deployment.withExisting(global) { deployment, settings in
            let addresses = try addresses.checked(allowingLoopback: isDevelopment || settings.isDevelopment)
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let team = try teamSelector.find(in: transaction)
                let app = try App.insert(
                    name: name, team: team.id, clientIDs: clientIDs, returnURLs: addresses.returnURLs, scopes: scopes,
                    notificationURL: addresses.notificationURL?.text, at: now, in: transaction)
                try app.put(signOutURLs: addresses.signOutURLs, in: transaction)
                try app.put(requiresProofKey: requiresPKCE, in: transaction)
                try app.put(backChannelLogoutURL: addresses.backChannelLogoutURL?.text, in: transaction)
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

/// `--development`, for commands that register addresses.
struct DevelopmentOption: ParsableArguments {
    @Flag(help: "Take http addresses on loopback too, for a development server.")
    var development = false
}

/// The addresses from the command line, not validated.
struct AppAddresses: Sendable {
    let returnURLs: [String]
    let notificationURL: String?
    let nativeReturnURLs: [String]
    let signOutURLs: [String]
    let backChannelLogoutURL: String?

    /// The validated addresses.
    struct Checked: Sendable {
        let returnURLs: [ReturnURL]
        let notificationURL: NotificationURL?
        let signOutURLs: [ReturnURL]
        let backChannelLogoutURL: NotificationURL?
    }

    /// - Throws: ``ReturnURL/Problem``, ``NotificationURL/Problem``
    func checked(allowingLoopback: Bool) throws -> Checked {
        Checked(
            returnURLs: try returnURLs.map { try ReturnURL($0, allowingLoopback: allowingLoopback) }
                + nativeReturnURLs.map { try ReturnURL(native: $0) },
            notificationURL: try notificationURL.map { try NotificationURL($0, allowingLoopback: allowingLoopback) },
            signOutURLs: try signOutURLs.map { try ReturnURL($0, allowingLoopback: allowingLoopback) },
            backChannelLogoutURL: try backChannelLogoutURL.map {
                try NotificationURL($0, allowingLoopback: allowingLoopback)
            })
    }
}

/// Options for the addresses, other than return URLs, of apps to which people sign in.
struct SignInAddressOptions: ParsableArguments {
    @Option(
        name: .customLong("native-return-url"),
        help: """
            An address of a program on people's own devices: http://127.0.0.1/callback, which matches every port, or \
            com.example.quizzler:/callback. May be repeated.
            """)
    var nativeReturnURLs: [String] = []

    @Option(
        name: .customLong("sign-out-url"),
        help: "A URL to which the app may send people after they sign out. May be repeated; on a change, replaces all.")
    var signOutURLs: [String] = []

    @Option(
        name: .customLong("back-channel-logout-url"),
        help: "The URL to which logout tokens go when a person signs out (backchannel_logout_uri).")
    var backChannelLogoutURL: String?
}
