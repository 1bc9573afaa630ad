import Accounts
import Administration
import Authorization
import Directory
import DomainNames
import Foundation
import Ground
import HiddenMail
import Hummingbird
import KerberosTickets
import Mail
import ServerPages
import Storage

extension LanyardServer {
    /// The router with every path of the server, and those of its answers that are the same for everybody.
    func routes(_ teamIdentifiers: TeamIdentifiers) -> (router: Router<AppContext>, standing: StandingAnswers) {
        let router = Router(context: AppContext.self, options: .autoGenerateHeadEndpoints)
        let otherMethods = OtherMethods()
        router.addMiddleware {
            ClientAddress(proxies: proxies)
            RequestLog()
            SecurityHeaders(isSecure: configuration.isSecure)
            CrossOriginReading(database: database)
            ErrorResponses(pages: pages)
            ExactRoute(otherMethods: otherMethods)
        }
        var standing = StandingAnswers()
        HealthRoutes(readiness: Readiness(database: database, now: surroundings.now)).mount(on: router, &standing)
        SecurityContactRoutes(
            contact: configuration.securityContact, baseURL: configuration.baseURL, now: surroundings.now
        ).mount(on: router)
        AssetRoutes(assets: pages.pages.assets).mount(on: router, &standing)
        BrowserSDKRoutes().mount(on: router, &standing)
        PictureRoutes(database: database).mount(on: router)
        let protocols = Protocols(self, teamIdentifiers)
        mountPages(on: router)
        mountRoster(on: router, protocols, &standing)
        let wrongCodes = FailureBudget(configuration.wrongPasswords, now: surroundings.now)
        mountSignIn(on: router, protocols, wrongCodes, &standing)
        mountDevices(on: router, &standing)
        mountAdministration(on: router, wrongCodes)
        otherMethods.take(router)
        return (router, standing)
    }

    private func mountPages(on router: Router<AppContext>) {
        let signIn = PasswordSignIn(
            database: database, hasher: hasher,
            budget: FailureBudget(configuration.wrongPasswords, now: surroundings.now), surroundings: surroundings)
        let account = AccountRoutes(
            database: database, surroundings: surroundings, door: AccountDoor(sessions: sessions, pages: pages),
            canChangeEmail: mailer.isAvailable, founding: configuration.teamsMadeBy)
        SignInRoutes(
            database: database, surroundings: surroundings, sessions: sessions, signIn: signIn, pages: pages,
            offers: offers, account: account
        ).mount(on: router)
        if let tickets {
            TicketRoutes(
                database: database, surroundings: surroundings, sessions: sessions, acceptor: tickets,
                signIn: KerberosSignIn(database: database, surroundings: surroundings), pages: pages, offers: offers,
                wrongTickets: FailureBudget(configuration.wrongPasswords, now: surroundings.now)
            ).mount(on: router)
        }
        mountAccount(account, signIn, on: router)
        mountFactors(account.door, on: router)
        ChangePasswordRoutes(
            database: database, surroundings: surroundings, sessions: sessions, signIn: signIn, notice: notice,
            pages: pages
        ).mount(on: router)
        InvitationRoutes(
            database: database, surroundings: surroundings,
            acceptance: InvitationAcceptance(database: database, hasher: hasher, surroundings: surroundings),
            pages: pages
        ).mount(on: router)
        ConsentRoutes(
            database: database, surroundings: surroundings, sessions: sessions,
            consents: ConsentService(
                database: database, surroundings: surroundings, cancelledError: configuration.cancelledError),
            pages: pages, offers: offers
        ).mount(on: router)
    }

    private var requests: AuthorizationRequests {
        AuthorizationRequests(database: database, surroundings: surroundings, pages: pages)
    }

    private var letters: AccountLetter.Writing { AccountLetter.writing(with: pages.pages, from: configuration.baseURL) }

    private var notice: PasswordNotice { PasswordNotice(mailer: mailer, writing: letters) }

    /// What the sign-in pages offer.
    private var offers: AccountOffers {
        AccountOffers(
            hasMail: mailer.isAvailable, personalAccounts: configuration.personalAccounts,
            passkeys: factorChecker.challenges != nil,
            tickets: configuration.kerberos.map { TicketQuestion(networks: $0.networks) },
            baseURL: configuration.baseURL)
    }

    private func mountAccount(_ account: AccountRoutes, _ signIn: PasswordSignIn, on router: Router<AppContext>) {
        let confirmation = PasswordConfirmation(database: database, hasher: hasher, surroundings: surroundings)
        let accounts = PersonalAccounts(
            database: database, hasher: hasher, mailer: mailer,
            writing: letters, surroundings: surroundings, relayDomain: configuration.relay?.domain)
        account.mount(on: router)
        AccountSessionRoutes(
            sessions: OpenSessions(database: database, surroundings: surroundings), door: account.door
        ).mount(on: router)
        AccountAppRoutes(
            database: database, apps: UsedApps(database: database, surroundings: surroundings), door: account.door,
            surroundings: surroundings
        ).mount(on: router)
        ConnectedAppRoutes(
            database: database, apps: ConnectedApps(database: database, surroundings: surroundings),
            surroundings: surroundings, door: account.door
        ).mount(on: router)
        NextStepsRoutes(database: database, door: account.door).mount(on: router)
        AccountDeviceRoutes(
            database: database, registrar: registrar, confirmation: confirmation, door: account.door
        ).mount(on: router)
        AccountPasswordRoutes(
            database: database, confirmation: confirmation, signIn: signIn, notice: notice, door: account.door
        ).mount(on: router)
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

    private var factorChecker: FactorChecker {
        FactorChecker(
            database: database, sealing: masterKey.sealing,
            challenges: RelyingParty(baseURL: configuration.baseURL).map {
                PasskeyChallenges(party: $0, key: keys.passkeyChallenges)
            }, surroundings: surroundings)
    }

    private func mountFactors(_ door: AccountDoor, on router: Router<AppContext>) {
        let checker = factorChecker
        let host = WebOrigin(of: configuration.baseURL)?.host ?? configuration.baseURL
        FactorRoutes(
            database: database, surroundings: surroundings, sessions: sessions, signIn: FactorSignIn(checker: checker),
            notice: notice, pages: pages, offers: offers, host: host,
            wrongPasskeys: FailureBudget(configuration.wrongPasswords, now: surroundings.now)
        ).mount(on: router)
        ConfirmRoutes(
            database: database,
            password: PasswordConfirmation(database: database, hasher: hasher, surroundings: surroundings),
            factors: FactorConfirmation(checker: checker), door: door
        ).mount(on: router)
        SignInWayRoutes(
            database: database, surroundings: surroundings, changes: FactorChanges(checker: checker),
            challenges: checker.challenges, notice: notice, door: door, host: host
        ).mount(on: router)
    }

    private func mountAdministration(on router: Router<AppContext>, _ wrongCodes: FailureBudget) {
        AdministrationRoutes(
            database: database, services: administration,
            limiter: APIRateLimiter(
                .init(burst: configuration.rateLimit.burst, perSecond: configuration.rateLimit.requestsPerSecond),
                now: surroundings.now),
            description: OpenAPIDocument(baseURL: configuration.baseURL)
        ).mount(on: router)
        let desks = DeskDoor(
            door: AccountDoor(sessions: sessions, pages: pages), database: database, services: administration)
        ConsoleRoutes(
            door: ConsoleDoor(desks: desks), profile: configuration.signOnProfile, surroundings: surroundings,
            baseURL: configuration.baseURL,
            sendsMail: mailer.isAvailable
        ).mount(on: router)
        PortalRoutes(
            door: PortalDoor(desks: desks), baseURL: configuration.baseURL, issuer: configuration.issuer,
            surroundings: surroundings
        ).mount(on: router)
        APITokenRoutes(
            tokens: APITokens(database: database, surroundings: surroundings), terminals: terminals,
            baseURL: configuration.baseURL
        ).mount(on: router)
        TerminalApprovalRoutes(
            database: database, terminals: terminals, door: AccountDoor(sessions: sessions, pages: pages),
            wrongCodes: wrongCodes
        ).mount(on: router)
    }

    private var terminals: TerminalSignIns {
        TerminalSignIns(database: database, surroundings: surroundings, founding: configuration.teamsMadeBy)
    }

    /// What operations need from outside of the database.
    var administration: AdministrationServices {
        AdministrationServices(
            surroundings: surroundings, hasher: hasher, passwordNotice: mailer.isAvailable ? notice : nil,
            masterKey: masterKey, administratorMail: administratorMail, mailSender: configuration.mail?.sender,
            rosterViewing: RosterViewer(roster(TeamIdentifiers(database: database, masterKey: masterKey))),
            developers: DeveloperRules(
                founding: configuration.teamsMadeBy, takesLoopback: configuration.isDevelopment,
                haveSandboxes: configuration.sandboxes,
                relayDomain: configuration.relay?.domain),
            pickUpFolder: configuration.pickUpFolder, signOnProfile: configuration.signOnProfile,
            textRecords: TextRecords(servers: configuration.nameServers), kerberosService: tickets?.service,
            condition: condition)
    }

    private var registrar: DeviceRegistrar { DeviceRegistrar(database: database, surroundings: surroundings) }

    /// The routes for single sign-on on devices.
    private func mountDevices(on router: Router<AppContext>, _ standing: inout StandingAnswers) {
        AssociationRoutes(apps: configuration.associatedApps).mount(on: router, &standing)
        DeviceRegistrationRoutes(
            registrar: registrar, surroundings: surroundings,
            wrongCodes: FailureBudget(configuration.wrongPasswords, now: surroundings.now)
        ).mount(on: router)
        DeviceSessionRoutes(
            signIn: DeviceSignIn(
                database: database, surroundings: surroundings, audience: configuration.baseURL),
            surroundings: surroundings,
            wrongAssertions: FailureBudget(DeviceSessionRoutes.limits(), now: surroundings.now),
            isSecure: configuration.isSecure
        ).mount(on: router)
    }

    /// What the protocols share: clients authenticate and get tokens in the same way.
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
                flagsAsText: configuration.flagsAsText, refreshTokens: configuration.refreshTokens,
                surroundings: server.surroundings)
        }

        func endpoint(_ profile: Profile) -> TokenEndpoint {
            let issuer = server.configuration.standardIssuer
            return TokenEndpoint(
                profile: profile, authenticator: authenticator, tokens: tokens, keys: server.keys.signing,
                audiences: [issuer, "\(issuer)/token"])
        }
    }

    private func mountSignIn(
        on router: Router<AppContext>, _ protocols: Protocols, _ wrongCodes: FailureBudget,
        _ standing: inout StandingAnswers
    ) {
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
            requests: requests, endpoint: protocols.endpoint(.compatible),
            baseURL: configuration.baseURL, issuer: configuration.issuer, ignoredScopes: configuration.ignoredScopes
        ).mount(on: router, &standing)
        AccountStateRoutes(
            endpoint: protocols.endpoint(.compatible),
            migration: UserMigration(
                database: database, authenticator: protocols.authenticator, keys: keys,
                teamIdentifiers: protocols.teamIdentifiers, surroundings: surroundings,
                relayDomain: configuration.relay?.domain),
            states: CredentialStates(
                database: database, teamIdentifiers: protocols.teamIdentifiers, now: surroundings.now)
        ).mount(on: router)
        StandardRoutes(
            database: database, requests: requests, sessions: sessions, signIns: signIns,
            userInfo: UserInfoService(
                database: database, keys: keys, teamIdentifiers: protocols.teamIdentifiers, now: surroundings.now),
            endpoint: standard, teamIdentifiers: protocols.teamIdentifiers, issuer: configuration.standardIssuer
        ).mount(on: router, &standing)
        DeviceAuthorizationRoutes(
            devices: DeviceAuthorizationService(
                database: database, authenticator: protocols.authenticator, surroundings: surroundings),
            terminals: terminals, requests: requests, endpoint: standard, baseURL: configuration.baseURL,
            wrongCodes: wrongCodes
        ).mount(on: router)
        LogoutRoutes(
            database: database, surroundings: surroundings, sessions: sessions, keys: keys.signing,
            teamIdentifiers: protocols.teamIdentifiers, pages: pages, issuer: configuration.standardIssuer
        ).mount(on: router)
    }

    private func mountRoster(
        on router: Router<AppContext>, _ protocols: Protocols, _ standing: inout StandingAnswers
    ) {
        RosterOAuthRoutes(
            requests: requests, endpoint: protocols.endpoint(.roster), ignoredScopes: configuration.ignoredScopes
        ).mount(on: router, &standing)
        RosterRoutes(
            roster: roster(protocols.teamIdentifiers), abbreviatesTimeZones: configuration.abbreviatesTimeZones
        ).mount(on: router)
    }

    private func roster(_ teamIdentifiers: TeamIdentifiers) -> RosterService {
        RosterService(
            database: database, keys: keys, teamIdentifiers: teamIdentifiers,
            rate: .init(burst: configuration.rateLimit.burst, perSecond: configuration.rateLimit.requestsPerSecond),
            now: surroundings.now)
    }
}
