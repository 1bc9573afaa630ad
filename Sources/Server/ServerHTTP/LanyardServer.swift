import Administration
import AsyncHTTPClient
import Authorization
import ConsolePages
import Directory
import Foundation
import Ground
import HiddenMail
import Hummingbird
import HummingbirdCore
import KerberosTickets
import Logging
import Mail
import NIOCore
import ServerPages
import ServiceLifecycle
import Storage

/// The server, assembled from its rooms. The command `serve` and the tests build it here.
package struct LanyardServer: Sendable {
    package let configuration: ServerConfiguration
    let database: any Database
    let keys: ServerKeys
    let hasher: PasswordHasher
    let surroundings: Surroundings
    let pages: PageResponder
    let sessions: SessionReader
    let proxies: TrustedProxies
    let masterKey: MasterKey
    /// Nil where no tickets of Kerberos are taken.
    let tickets: TicketAcceptor?
    /// What is wrong with the server itself.
    let condition = ServerCondition()
    private let logger: Logger

    /// Read and checked once in a process.
    private static let pages = Result { try Pages(adding: [.console]) }

    /// - Parameter database: has to be migrated already.
    /// - Throws: if the configuration is impossible, the master key does not fit the database, a page is broken, or a
    ///   keytab is named that cannot be used.
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
        sessions = SessionReader(
            database: database, surroundings: surroundings, uses: SessionUses(idle: configuration.sessionIdle))
        proxies = TrustedProxies(configuration.trustedProxies)
        pages = PageResponder(
            pages: try Self.pages.get(), isSecure: configuration.isSecure, surroundings: surroundings,
            takesTickets: configuration.kerberos != nil)
        tickets = try configuration.kerberos.map {
            try TicketAcceptor(
                keytab: $0.keytab, host: WebOrigin(of: configuration.baseURL)?.host ?? configuration.host)
        }
        try await SyntheticSchool.make(in: database, at: surroundings.now())
    }

    /// Everything that runs while the server does.
    /// - Parameters:
    ///   - httpClient: sends notifications; configured with ``notificationClient``.
    ///   - socket: where clients connect.
    ///   - onRunning: called with the port when the server accepts connections.
    package func service(
        httpClient: HTTPClient, listeningAt socket: ListeningSocket,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some Service {
        let teamIdentifiers = TeamIdentifiers(database: database, masterKey: masterKey)
        let queue = NotificationOutbox(
            database: database, teamIdentifiers: teamIdentifiers, keys: keys,
            rosterIssuer: configuration.notificationIssuer, issuer: configuration.issuer,
            standardIssuer: configuration.standardIssuer, surroundings: surroundings)
        let delivery = NotificationDelivery(
            queue: queue,
            post: NotificationDelivery.post(
                with: httpClient, reachesPrivate: configuration.notifiesPrivateAddresses),
            interval: configuration.notificationInterval,
            logger: logger)
        let relay = configuration.relay?.services(database: database, surroundings: surroundings, logger: logger) ?? []
        return ServiceGroup(
            configuration: .init(
                services: mailDelivery + relay + checkup + [
                    delivery,
                    JobWork(
                        worker: JobWorker(database: database, services: administration),
                        interval: configuration.jobInterval, logger: logger),
                    PickUpWork(
                        sweep: PickUpSweep(database: database, services: administration),
                        interval: configuration.pickUpInterval, logger: logger),
                    Tidying(
                        database: database, surroundings: surroundings, services: administration,
                        administratorMail: administratorMail,
                        refreshTokens: configuration.refreshTokens, sessions: sessions.uses,
                        interval: configuration.tidyingInterval, logger: logger),
                    listener(at: socket, teamIdentifiers, onRunning: onRunning),
                ],
                logger: logger))
    }

    private func listener(
        at socket: ListeningSocket, _ teamIdentifiers: TeamIdentifiers,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) -> HTTPListener {
        let (requestTimeout, answerTimeout) = (configuration.requestTimeout, configuration.answerTimeout)
        let shares = ConnectionShares(
            max: configuration.connectionsPerAddress ?? max(1, configuration.connectionsMax / 4), exempt: proxies)
        let places = ConnectionPlaces(max: configuration.connectionsMax)
        let (router, answers) = routes(teamIdentifiers)
        let date = DateField(now: surroundings.now)
        let connections = ConnectionSetup(
            responder: HTTPListener.responder(router.buildResponder(), date: date, logger: logger),
            standing: StandingAnswerHandler.Settings(
                answers: answers, date: date, isSecure: configuration.isSecure, proxies: proxies),
            ticketPath: tickets == nil ? nil : TicketRoutes.path
        ) {
            [
                ConnectionShare(shares), ConnectionPlace(places), RequestDeadline(limit: requestTimeout),
                AnswerDeadline(limit: answerTimeout), LastRequest(),
            ]
        }
        return HTTPListener(
            socket: socket, connections: connections, places: places, logger: logger, onRunning: onRunning)
    }

    private var checkup: [any Service] {
        configuration.examine.map {
            [
                Checkup(
                    examine: $0, condition: condition, interval: configuration.examinationInterval, logger: logger)
            ]
        } ?? []
    }

    /// Queues mail; it knows whether mail can be sent.
    var mailer: Mailer { Mailer(sender: configuration.mail?.sender, surroundings: surroundings) }

    var administratorMail: AdministratorMail {
        AdministratorMail(
            mailer: mailer, writing: AdministratorLetter.writing(with: pages.pages, from: configuration.baseURL))
    }

    private var mailDelivery: [any Service] {
        guard let mail = configuration.mail else { return [] }
        return [
            MailDelivery(
                queue: MailOutbox(database: database, now: surroundings.now), sender: mail.sender,
                transport: mail.makeTransport(surroundings), interval: configuration.mailInterval, logger: logger)
        ]
    }
}
