import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct AppSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change an app.",
        discussion: """
            What is taken away counts from the next call on, also for people who are on the way to sign in and for \
            codes that are not redeemed yet. A scope that is taken away is taken from the consents that organizations \
            have given, for good: if it comes back, they are asked again. A client id, once added, stays with the app.
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
        ]
        guard
            name != nil || !scopes.isEmpty || lists.contains(where: { !$0.isEmpty }) || notificationURL != nil
                || noNotificationURL || noSignOutURL || requiresPKCE != nil || askEveryTime != nil
                || signIn.backChannelLogoutURL != nil || noBackChannelLogoutURL || logoutNeedsSession != nil
        else { throw ValidationError("Say what to change; `lanyard app set --help` lists the options.") }
        guard notificationURL == nil || !noNotificationURL else {
            throw ValidationError("--notification-url and --no-notification-url contradict each other.")
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
        let selector = AppSelector(text: app)
        let (name, clientIDs, scopes) = (name, addedClientIDs, ScopeSet(scopes))
        let addresses = AppAddresses(
            returnURLs: addedReturnURLs, notificationURL: notificationURL, nativeReturnURLs: signIn.nativeReturnURLs,
            signOutURLs: signIn.signOutURLs, backChannelLogoutURL: signIn.backChannelLogoutURL)
        let removed = removedReturnURLs
        let (isDevelopment, clearsNotificationURL) = (development.development, noNotificationURL)
        let (clearsSignOutURLs, requiresPKCE) = (noSignOutURL, requiresPKCE)
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
                if !scopes.isEmpty {
                    try Consent.narrow(
                        livingOf: app.id, to: scopes, by: .operator, from: .commandLine, at: now,
                        surroundings: deployment.surroundings, in: transaction)
                }
                for clientID in clientIDs { try app.add(clientID: clientID, in: transaction) }
                try Self.change(returnURLsOf: app, adding: added.returnURLs, removing: removed, in: transaction)
                if clearsSignOutURLs || !added.signOutURLs.isEmpty {
                    try app.put(signOutURLs: added.signOutURLs, in: transaction)
                }
                if let requiresPKCE { try app.put(requiresProofKey: requiresPKCE, in: transaction) }
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
        for url in removed {
            guard try app.remove(returnURL: url, in: transaction) else {
                throw Failure("\(app.name) has no return URL “\(url)”. `lanyard app show` lists those that it has.")
            }
        }
        try app.add(returnURLs: added, in: transaction)
    }
}
