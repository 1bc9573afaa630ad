import ArgumentParser
import Authorization
import Directory
import Storage

struct AppSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change an app.",
        discussion: """
            Consents that organizations have given keep their scopes: fewer scopes are for requests from now on. A \
            client id, once added, stays with the app.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var development: DevelopmentOption

    @Argument(help: "The app: a client id or its name.")
    var app: String

    @Option(help: "The new name.")
    var name: String?

    @Option(name: .customLong("add-client-id"), help: "One more client id. May be repeated.")
    var addedClientIDs: [String] = []

    @Option(name: .customLong("scope"), help: "What the app may ask for from now on; replaces all. May be repeated.")
    var scopes: [Scope] = []

    @Option(name: .customLong("add-return-url"), help: "One more return URL. May be repeated.")
    var addedReturnURLs: [String] = []

    @OptionGroup var signIn: SignInAddressOptions

    @Option(name: .customLong("remove-return-url"), help: "A return URL to take away. May be repeated.")
    var removedReturnURLs: [String] = []

    @Option(name: .customLong("notification-url"), help: "The address that is told when a consent is revoked.")
    var notificationURL: String?

    @Flag(name: .customLong("no-notification-url"), help: "Send no notifications.")
    var noNotificationURL = false

    @Flag(name: .customLong("no-back-channel-logout-url"), help: "Send no logout tokens.")
    var noBackChannelLogoutURL = false

    @Flag(
        name: .customLong("back-channel-logout-session-required"), inversion: .prefixedNo,
        help: "Logout tokens always name a session, or also the person alone.")
    var logoutNeedsSession: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "People confirm each sign-in to it, or only the first and those at which it asks for more.")
    var askEveryTime: Bool?

    func validate() throws {
        let lists = [
            addedClientIDs, addedReturnURLs, removedReturnURLs, signIn.nativeReturnURLs, signIn.signOutURLs,
        ]
        guard
            name != nil || !scopes.isEmpty || lists.contains(where: { !$0.isEmpty }) || notificationURL != nil
                || noNotificationURL || askEveryTime != nil || signIn.backChannelLogoutURL != nil
                || noBackChannelLogoutURL || logoutNeedsSession != nil
        else { throw ValidationError("Say what to change; `lanyard app set --help` lists the options.") }
        guard notificationURL == nil || !noNotificationURL else {
            throw ValidationError("--notification-url and --no-notification-url contradict each other.")
        }
        guard signIn.backChannelLogoutURL == nil || !noBackChannelLogoutURL else {
            throw ValidationError(
                "--back-channel-logout-url and --no-back-channel-logout-url contradict each other.")
        }
    }

    func run() async throws {
        let selector = AppSelector(text: app)
        let (name, clientIDs, scopes) = (name, addedClientIDs, ScopeSet(Set(scopes)))
        let addresses = AppAddresses(
            returnURLs: addedReturnURLs, notificationURL: notificationURL, nativeReturnURLs: signIn.nativeReturnURLs,
            signOutURLs: signIn.signOutURLs, backChannelLogoutURL: signIn.backChannelLogoutURL)
        let removed = removedReturnURLs
        let (isDevelopment, clearsNotificationURL) = (development.development, noNotificationURL)
        let (asksEveryTime, clearsLogoutURL, logoutNeedsSession) = (
            askEveryTime, noBackChannelLogoutURL, logoutNeedsSession
        )
        let report = try await Deployment.withExisting(global) { deployment, settings in
            let added = try addresses.checked(allowingLoopback: isDevelopment || settings.isDevelopment)
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let app = try selector.find(in: transaction)
                try app.put(
                    name: name ?? app.name, scopes: scopes.isEmpty ? app.scopes : scopes, in: transaction)
                for clientID in clientIDs { try app.add(clientID: clientID, in: transaction) }
                try Self.change(returnURLsOf: app, adding: added.returnURLs, removing: removed, in: transaction)
                if !added.signOutURLs.isEmpty { try app.put(signOutURLs: added.signOutURLs, in: transaction) }
                if let url = added.notificationURL {
                    try app.put(notificationURL: url.text, in: transaction)
                } else if clearsNotificationURL {
                    try app.put(notificationURL: nil, in: transaction)
                }
                if added.backChannelLogoutURL != nil || clearsLogoutURL {
                    try app.put(backChannelLogoutURL: added.backChannelLogoutURL?.text, in: transaction)
                }
                if let logoutNeedsSession { try app.put(logoutNeedsSession: logoutNeedsSession, in: transaction) }
                if let asksEveryTime { try app.put(asksEveryTime: asksEveryTime, in: transaction) }
                try AuditEntry(
                    .appChanged, by: .operator, on: "app:\(app.id.rawValue)", outcome: .done, from: .commandLine
                ).append(to: nil, at: now, in: transaction)
                return try AppReport(app, in: transaction)
            }
        }
        try output.print(report) { "Changed.\n\n\(report.text)" }
    }

    private static func change(
        returnURLsOf app: App, adding added: [ReturnURL], removing removed: [String], in transaction: WriteTransaction
    ) throws {
        let present = try App.returnURLs(of: app.id, in: transaction)
        if let unknown = removed.first(where: { !present.contains($0) }) {
            throw Failure("\(app.name) has no return URL “\(unknown)”. `lanyard app show` lists those that it has.")
        }
        // What was registered once was checked then; only new addresses have to pass today's rules.
        let kept = try present.filter { !removed.contains($0) }.map { text in
            ReturnURL.isNative(text) ? try ReturnURL(native: text) : try ReturnURL(text, allowingLoopback: true)
        }
        try app.put(returnURLs: kept + added, in: transaction)
    }
}
