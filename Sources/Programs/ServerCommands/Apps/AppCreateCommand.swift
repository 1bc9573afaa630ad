import Administration
import ArgumentParser
import Authorization
import CommandOutput

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
        name: .customLong("name-in"),
        help: ArgumentHelp(
            "What people see who read in another language, such as ja=クイズラー. May be repeated.",
            valueName: "language=name"))
    var localizedNames: [LocalizedName] = []

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
        let record = try await Deployment.administrate(global) { administrator in
            try await administrator.perform(
                CreateApp(
                    team: try await team.reference(administrator), name: name,
                    localizedNames: localizedNames.isEmpty ? nil : localizedNames, clientIDs: clientIDs,
                    scopes: scopes, domains: signIn.domains.isEmpty ? nil : signIn.domains, returnURLs: returnURLs,
                    nativeReturnURLs: signIn.nativeReturnURLs,
                    signOutURLs: signIn.signOutURLs,
                    notificationURL: notificationURL, backChannelLogoutURL: signIn.backChannelLogoutURL,
                    requiresPKCE: requiresPKCE, development: development.ifSaid)
            ).answer
        }
        try output.print(record) { "Registered.\n\n\(record.text)" }
    }
}

/// `--development`, for commands that register addresses.
struct DevelopmentOption: ParsableArguments {
    @Flag(help: "Take http addresses on loopback too, for a development server.")
    var development = false

    /// Nil if it is not said: only the operator may say it.
    var ifSaid: Bool? { development ? true : nil }
}

/// Options for the addresses, other than return URLs, of apps to which people sign in.
struct SignInAddressOptions: ParsableArguments {
    @Option(
        name: .customLong("domain"),
        help: """
            The host of web pages from which people sign in, such as www.quizzler.example. Every return URL on the web has \
            to be at one of the domains, if there are any. May be repeated; on a change, replaces all.
            """)
    var domains: [String] = []

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
