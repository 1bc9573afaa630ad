import Administration
import ArgumentParser
import Authorization
import CommandOutput

struct AppSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change an app.",
        discussion: """
            What is taken away counts from the next call on, also for people who are on the way to sign in and for \
            codes that are not redeemed yet. A scope that is taken away is taken from the consents that organizations \
            have given, for good: if it comes back, they are asked again. A client id is taken away again by `lanyard app client --remove`.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var development: DevelopmentOption

    @Argument(help: "The app: a client id or its name.")
    var app: String

    @Option(help: "The new name.")
    var name: String?

    @Option(
        name: .customLong("name-in"),
        help: ArgumentHelp(
            "What people see who read in another language, such as ja=クイズラー. May be repeated; replaces all.",
            valueName: "language=name"))
    var localizedNames: [LocalizedName] = []

    @Flag(name: .customLong("no-name-in"), help: "Have the same name in every language.")
    var noLocalizedNames = false

    @Option(name: .customLong("add-client-id"), help: "One more client id. May be repeated.")
    var addedClientIDs: [String] = []

    @Option(name: .customLong("scope"), help: "What the app may ask for from now on; replaces all. May be repeated.")
    var scopes: [Scope] = []

    @Option(name: .customLong("add-return-url"), help: "One more return URL. May be repeated.")
    var addedReturnURLs: [String] = []

    @OptionGroup var signIn: SignInAddressOptions

    @Option(name: .customLong("remove-return-url"), help: "A return URL to take away. May be repeated.")
    var removedReturnURLs: [String] = []

    @Flag(name: .customLong("no-domain"), help: "Remove all domains: the hosts of the return URLs count.")
    var noDomain = false

    @Flag(name: .customLong("no-sign-out-url"), help: "Remove all sign-out URLs.")
    var noSignOutURL = false

    @Flag(
        name: .customLong("require-pkce"), inversion: .prefixedNo,
        help: "Whether each authorization request needs a code_challenge, also of clients with a secret.")
    var requiresPKCE: Bool?

    @Option(
        name: .customLong("notification-url"), help: "The URL to which a notification goes when a consent is revoked.")
    var notificationURL: String?

    @Flag(name: .customLong("no-notification-url"), help: "Send no notifications.")
    var noNotificationURL = false

    @Flag(name: .customLong("no-back-channel-logout-url"), help: "Send no logout tokens.")
    var noBackChannelLogoutURL = false

    @Flag(
        name: .customLong("back-channel-logout-session-required"), inversion: .prefixedNo,
        help: "Whether logout tokens must name a session, or may name only the person.")
    var logoutNeedsSession: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "People confirm each sign-in to it, or only the first and those at which it asks for more.")
    var askEveryTime: Bool?

    func validate() throws {
        let lists = [
            addedClientIDs, addedReturnURLs, removedReturnURLs, signIn.nativeReturnURLs, signIn.signOutURLs,
            signIn.domains,
        ]
        guard
            name != nil || !localizedNames.isEmpty || noLocalizedNames || !scopes.isEmpty
                || lists.contains(where: { !$0.isEmpty }) || notificationURL != nil
                || noNotificationURL || noSignOutURL || noDomain || requiresPKCE != nil || askEveryTime != nil
                || signIn.backChannelLogoutURL != nil || noBackChannelLogoutURL || logoutNeedsSession != nil
        else { throw ValidationError("Say what to change; `lanyard app set --help` lists the options.") }
        guard localizedNames.isEmpty || !noLocalizedNames else {
            throw ValidationError("--name-in and --no-name-in contradict each other.")
        }
        guard notificationURL == nil || !noNotificationURL else {
            throw ValidationError("--notification-url and --no-notification-url contradict each other.")
        }
        guard signIn.domains.isEmpty || !noDomain else {
            throw ValidationError("--domain and --no-domain contradict each other.")
        }
        guard signIn.signOutURLs.isEmpty || !noSignOutURL else {
            throw ValidationError("--sign-out-url and --no-sign-out-url contradict each other.")
        }
        guard signIn.backChannelLogoutURL == nil || !noBackChannelLogoutURL else {
            throw ValidationError(
                "--back-channel-logout-url and --no-back-channel-logout-url contradict each other.")
        }
    }

    func run() async throws {
        let record = try await Deployment.administrate(global) { try await $0.perform(change).answer }
        try output.print(record) { "Changed.\n\n\(record.text)" }
    }

    private var change: SetApp {
        func ifAny<Value>(_ list: [Value]) -> [Value]? { list.isEmpty ? nil : list }
        var change = SetApp(app: AppReference(app))
        change.name = name
        change.localizedNames = ifAny(localizedNames)
        change.addClientIDs = ifAny(addedClientIDs)
        change.scopes = ifAny(scopes)
        change.domains = ifAny(signIn.domains)
        change.addReturnURLs = ifAny(addedReturnURLs)
        change.nativeReturnURLs = ifAny(signIn.nativeReturnURLs)
        change.removeReturnURLs = ifAny(removedReturnURLs)
        change.signOutURLs = ifAny(signIn.signOutURLs)
        change.notificationURL = notificationURL
        change.backChannelLogoutURL = signIn.backChannelLogoutURL
        change.requiresPKCE = requiresPKCE
        change.logoutNeedsSession = logoutNeedsSession
        change.asksEveryTime = askEveryTime
        change.development = development.ifSaid
        let cleared: [SetApp.OptionalField?] = [
            noNotificationURL ? .notificationURL : nil, noBackChannelLogoutURL ? .backChannelLogoutURL : nil,
            noSignOutURL ? .signOutURLs : nil, noDomain ? .domains : nil, noLocalizedNames ? .localizedNames : nil,
        ]
        change.clear = ifAny(cleared.compactMap(\.self))
        return change
    }
}
