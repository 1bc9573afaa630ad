import AsyncHTTPClient
import Authorization
import Directory
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import Mail
import NIOCore
import ServerPages
import ServiceLifecycle
import Storage

/// The server, put together from its rooms. The command line's `serve` and the tests build it here.
package struct LanyardServer: Sendable {
    package let configuration: ServerConfiguration
    private let database: any Database
    private let masterKey: MasterKey
    private let keys: ServerKeys
    private let hasher: PasswordHasher
    private let surroundings: Surroundings
    private let logger: Logger
    private let pages: PageResponder

    /// - Parameter database: migrated already.
    /// - Throws: if the configuration is impossible, the master key does not fit the database, or a page is broken.
    package init(
        configuration: ServerConfiguration, database: any Database, masterKey: MasterKey,
        hasher: PasswordHasher, surroundings: Surroundings = .system, logger: Logger
    ) async throws {
        try configuration.check()
        self.configuration = configuration
        self.database = database
        self.masterKey = masterKey
        self.hasher = hasher
        self.surroundings = surroundings
        self.logger = logger
        keys = try await ServerKeys.load(from: database, under: masterKey, surroundings: surroundings)
        pages = PageResponder(pages: try Pages(), isSecure: configuration.isSecure, surroundings: surroundings)
        try await SyntheticSchool.make(in: database, at: surroundings.now())
    }

    /// - Parameters:
    ///   - httpClient: for notifications, with ``notificationClient``.
    ///   - onRunning: hears the port when the server accepts connections.
    package func application(
        httpClient: HTTPClient, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let teamIdentifiers = TeamIdentifiers(database: database, masterKey: masterKey)
        let queue = NotificationOutbox(
            database: database, teamIdentifiers: teamIdentifiers, keys: keys,
            rosterIssuer: configuration.notificationIssuer, issuer: configuration.issuer, now: surroundings.now)
        let delivery = NotificationDelivery(
            queue: queue, post: NotificationDelivery.post(with: httpClient),
            interval: configuration.notificationInterval,
            logger: logger)
        let (requestTimeout, answerTimeout) = (configuration.requestTimeout, configuration.answerTimeout)
        let shares = ConnectionShares(
            max: configuration.connectionsPerAddress ?? max(1, configuration.connectionsMax / 2), exempt: proxies)
        return Application(
            router: router(teamIdentifiers),
            server: HTTPServerBuilder { responder in
                OnItsEventLoop(
                    base: HTTP1Channel(
                        responder: responder,
                        configuration: .init(
                            additionalChannelHandlers: [
                                ConnectionShare(shares), RequestDeadline(limit: requestTimeout),
                                AnswerDeadline(limit: answerTimeout),
                            ],
                            idleTimeout: .seconds(75),
                            httpDecoderConfiguration: .init(
                                maxHeaderFieldSize: 16 * 1_024, maxHeaderListSize: 32 * 1_024))))
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: .maximum(configuration.connectionsMax, logger: logger)),
            services: mailDelivery + relayListeners + [
                delivery,
                Tidying(
                    database: database, surroundings: surroundings, interval: configuration.tidyingInterval,
                    logger: logger),
            ],
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
    }

    private var proxies: TrustedProxies { TrustedProxies(configuration.trustedProxies) }

    /// What queues mail; it says whether there is any.
    var mailer: Mailer { Mailer(sender: configuration.mail?.sender, surroundings: surroundings) }

    private var mailDelivery: [any Service] {
        guard let mail = configuration.mail else { return [] }
        return [
            MailDelivery(
                queue: MailOutbox(database: database, now: surroundings.now), sender: mail.sender,
                transport: mail.makeTransport(), interval: configuration.mailInterval, logger: logger)
        ]
    }

    private var relayListeners: [any Service] {
        guard let configuration = configuration.relay, let addresses = configuration.listeners else { return [] }
        let relay = MailRelay(database: database, surroundings: surroundings, domain: configuration.domain)
        return [
            SocketmapService(relay: relay, logger: logger).listener(at: addresses.socketmap),
            PolicyService(relay: relay, logger: logger).listener(at: addresses.policy),
            MilterService(relay: relay, configuration: configuration, logger: logger).listener(at: addresses.milter),
        ]
    }

    private func router(_ teamIdentifiers: TeamIdentifiers) -> Router<AppContext> {
        let router = Router(context: AppContext.self, options: .autoGenerateHeadEndpoints)
        router.addMiddleware {
            ClientAddress(proxies: proxies)
            RequestLog()
            SecurityHeaders(isSecure: configuration.isSecure)
            CrossOriginReading(database: database)
            ErrorResponses(pages: pages)
            RosterRoutes.ReadOnly()
        }
        HealthRoutes(database: database).mount(on: router)
        AssetRoutes(assets: pages.pages.assets).mount(on: router)
        BrowserSDKRoutes().mount(on: router)
        let protocols = Protocols(self, teamIdentifiers)
        mountPages(on: router)
        mountRoster(on: router, protocols)
        mountSignIn(on: router, protocols)
        return router
    }

    private func mountPages(on router: Router<AppContext>) {
        let sessions = SessionReader(database: database, surroundings: surroundings)
        let signIn = PasswordSignIn(
            database: database, hasher: hasher,
            budget: FailureBudget(configuration.wrongPasswords, now: surroundings.now), surroundings: surroundings)
        let account = AccountRoutes(
            database: database, surroundings: surroundings, door: AccountDoor(sessions: sessions, pages: pages),
            canChangeEmail: mailer.isAvailable)
        SignInRoutes(
            database: database, surroundings: surroundings, sessions: sessions, signIn: signIn, pages: pages,
            offers: offers, account: account
        ).mount(on: router)
        mountAccount(account, signIn, on: router)
        ChangePasswordRoutes(
            database: database, surroundings: surroundings, sessions: sessions, signIn: signIn, pages: pages
        ).mount(on: router)
        InvitationRoutes(database: database, surroundings: surroundings, hasher: hasher, pages: pages)
            .mount(on: router)
        AuthorizeRoutes(
            database: database, surroundings: surroundings, pages: pages, ignoredScopes: configuration.ignoredScopes
        ).mount(on: router)
        ConnectRoutes(
            database: database, surroundings: surroundings, sessions: sessions,
            consents: ConsentService(
                database: database, surroundings: surroundings, cancelledError: configuration.cancelledError),
            pages: pages, offers: offers
        ).mount(on: router)
    }

    /// What the sign-in pages lead to.
    private var offers: AccountOffers {
        AccountOffers(
            signUp: mailer.isAvailable && configuration.personalAccounts, newPassword: mailer.isAvailable)
    }

    private func mountAccount(_ account: AccountRoutes, _ signIn: PasswordSignIn, on router: Router<AppContext>) {
        let confirmation = PasswordConfirmation(database: database, hasher: hasher, surroundings: surroundings)
        let accounts = PersonalAccounts(
            database: database, hasher: hasher, mailer: mailer,
            writing: pages.letters(from: URLComponents(string: configuration.baseURL)?.host ?? configuration.baseURL),
            surroundings: surroundings, relayDomain: configuration.relay?.domain)
        account.mount(on: router)
        AccountSessionRoutes(
            sessions: OpenSessions(database: database, surroundings: surroundings), door: account.door
        ).mount(on: router)
        AccountAppRoutes(
            database: database, apps: UsedApps(database: database, surroundings: surroundings), door: account.door
        ).mount(on: router)
        AccountPasswordRoutes(database: database, confirmation: confirmation, signIn: signIn, door: account.door)
            .mount(on: router)
        AccountDetailsRoutes(
            database: database, accounts: accounts, confirmation: confirmation, door: account.door,
            canChangeEmail: account.canChangeEmail
        ).mount(on: router)
        if offers.signUp {
            SignUpRoutes(database: database, surroundings: surroundings, accounts: accounts, pages: pages)
                .mount(on: router)
        }
        guard offers.newPassword else { return }
        VerifyEmailRoutes(database: database, surroundings: surroundings, accounts: accounts, pages: pages)
            .mount(on: router)
        ForgotPasswordRoutes(database: database, surroundings: surroundings, accounts: accounts, pages: pages)
            .mount(on: router)
    }

    /// What the protocols share: clients authenticate and get tokens in the same way in all of them.
    private struct Protocols {
        let teamIdentifiers: TeamIdentifiers
        let authenticator: ClientAuthenticator
        let tokens: TokenService
        private let server: LanyardServer

        init(_ server: LanyardServer, _ teamIdentifiers: TeamIdentifiers) {
            let configuration = server.configuration
            self.server = server
            self.teamIdentifiers = teamIdentifiers
            authenticator = ClientAuthenticator(
                database: server.database, issuer: configuration.issuer, now: server.surroundings.now)
            tokens = TokenService(
                database: server.database, authenticator: authenticator, keys: server.keys,
                teamIdentifiers: teamIdentifiers,
                issuers: .init(compatible: configuration.issuer, standard: configuration.standardIssuer),
                flagsAsText: configuration.flagsAsText, surroundings: server.surroundings)
        }

        func endpoint(_ profile: Profile) -> TokenEndpoint {
            let issuer = server.configuration.standardIssuer
            return TokenEndpoint(
                profile: profile, authenticator: authenticator, tokens: tokens, keys: server.keys.signing,
                audiences: [issuer, "\(issuer)/token"])
        }
    }

    private func mountSignIn(on router: Router<AppContext>, _ protocols: Protocols) {
        let sessions = SessionReader(database: database, surroundings: surroundings)
        let requests = SignInRequests(database: database, surroundings: surroundings, pages: pages)
        let signIns = SignInService(
            database: database, surroundings: surroundings, tokens: protocols.tokens,
            relayDomain: configuration.relay?.domain)
        let standard = protocols.endpoint(.standard)
        ContinueRoutes(
            database: database, surroundings: surroundings, sessions: sessions, signIns: signIns, pages: pages,
            standardIssuer: configuration.standardIssuer, canHideEmail: configuration.relay != nil,
            offers: offers
        ).mount(on: router)
        CompatibleRoutes(
            database: database, requests: requests, endpoint: protocols.endpoint(.compatible),
            baseURL: configuration.baseURL, issuer: configuration.issuer, ignoredScopes: configuration.ignoredScopes
        ).mount(on: router)
        AccountStateRoutes(
            database: database, endpoint: protocols.endpoint(.compatible),
            migration: UserMigration(
                database: database, authenticator: protocols.authenticator, keys: keys,
                teamIdentifiers: protocols.teamIdentifiers, surroundings: surroundings,
                relayDomain: configuration.relay?.domain),
            teamIdentifiers: protocols.teamIdentifiers, now: surroundings.now
        ).mount(on: router)
        StandardRoutes(
            database: database, requests: requests, sessions: sessions, signIns: signIns,
            userInfo: UserInfoService(
                database: database, keys: keys, teamIdentifiers: protocols.teamIdentifiers, now: surroundings.now),
            endpoint: standard, teamIdentifiers: protocols.teamIdentifiers, issuer: configuration.standardIssuer
        ).mount(on: router)
        DeviceRoutes(
            database: database, requests: requests, endpoint: standard, baseURL: configuration.baseURL,
            wrongCodes: FailureBudget(configuration.wrongPasswords, now: surroundings.now)
        ).mount(on: router)
        LogoutRoutes(
            database: database, surroundings: surroundings, sessions: sessions, keys: keys.signing,
            teamIdentifiers: protocols.teamIdentifiers, pages: pages, issuer: configuration.standardIssuer
        ).mount(on: router)
    }

    private func mountRoster(on router: Router<AppContext>, _ protocols: Protocols) {
        TokenRoutes(endpoint: protocols.endpoint(.roster)).mount(on: router)
        RosterRoutes(
            reader: RosterReader(
                database: database, authorizer: RosterAuthorizer(keys: keys, now: surroundings.now),
                teamIdentifiers: protocols.teamIdentifiers,
                limiter: RateLimiter(configuration.rateLimit, now: surroundings.now),
                pageKey: keys.pageTokens.key, now: surroundings.now),
            abbreviatesTimeZones: configuration.abbreviatesTimeZones
        ).mount(on: router)
    }
}
