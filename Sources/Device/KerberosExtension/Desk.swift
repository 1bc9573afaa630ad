import ExtensionVault
import Ground
import KerberosDomain
import KerberosProfile
import SingleSignOnExtension
import SingleSignOnWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What all requests share: saved sign-ins, threads for calls that block, negotiations, and who waits for what.
final class Desk: Sendable {
    let surroundings: Surroundings
    let store: SignInStore
    let files: DeviceFiles
    let negotiations = OpenNegotiations()
    private let folder: ExtensionFolder
    private let configuration: PrivateConfiguration
    let domains: DomainServers
    let directory: Directory
    let refusedKeytabs: RefusedKeytabs
    let begunSetups: BegunSetups
    private let reach: ToldReach
    /// The cache that the person's programs were told last, which may be none; nil if they were told nothing yet.
    private let published = Mutex<String??>(nil)
    /// A server that hangs holds one of them up for half a minute.
    private let threads = BlockingQueue(width: 16)
    private let acquisitions = SingleFlights<Acquisition, SilentTicket>()
    /// Lets one form for a realm be shown at a time.
    private let forms = Gate<String>(width: 1)
    private let formsEnded = Mutex<[String: Int]>([:])
    /// Held from the reading of what is saved to the writing of what came of it: so nobody signs out between a ticket and what is
    /// saved of it, and neither a password nor a key is tried that has been refused meanwhile.
    let passwords = Gate<String>(width: 1)
    /// How many people's sign-ins use or wait for that, and how many have ended, by the realm.
    let signingIn = Mutex<[String: (open: Int, ended: Int)]>([:])
    /// Whether a KDC has answered, and when that was seen.
    private let reached = Mutex<[String: (isReached: Bool, since: Stopwatch)]>([:])
    private let canceled = Mutex<[String: Stopwatch]>([:])
    /// Realms whose payload lets no password be saved, and of which none is saved any more.
    let withoutPassword = Mutex<Set<String>>([])

    /// Callers that want the same ticket without a form share one attempt: docs/specifications/extensible-single-sign-on.md,
    /// 19.7.
    private struct Acquisition: Hashable {
        let caches: TicketCaches
        let principal: String?
        let mustBeNew: Bool
    }

    /// A ticket that was had without a form, if there is one, and whether it was got just now.
    typealias SilentTicket = (ticket: Ticket?, isNew: Bool)

    init(_ folder: ExtensionFolder = .shared, surroundings: Surroundings, files: DeviceFiles = .standard) {
        self.folder = folder
        self.surroundings = surroundings
        self.files = files
        store = SignInStore(vault: Vault(folder, application: "org.lanyard.kerberos"))
        configuration = PrivateConfiguration(folder: folder)
        directory = Directory(folder: folder)
        refusedKeytabs = RefusedKeytabs(folder: folder)
        begunSetups = BegunSetups(folder: folder)
        domains = DomainServers(
            folder: folder,
            // Controllers that answer do so within a few milliseconds; a person waits for those that do not.
            discovery: DomainDiscovery(surroundings: surroundings, patience: .milliseconds(500)),
            surroundings: surroundings, network: NetworkPlace.current)
        reach = ToldReach(folder: folder)
    }

    /// Runs a call that blocks.
    func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await threads.run(body)
    }

    // MARK: Realms

    /// Prepares the library for a payload's realm, and finds the servers of its domain. It takes some seconds at most.
    func prepare(_ settings: KerberosSettings) async {
        let authorities = files.authorities(of: settings.realm).map { [$0] } ?? []
        let found = configuration.machineNamesServers(of: settings.realm) ? nil : await domains.servers(settings)
        configuration.write(
            .init(
                settings, discoveredKDCs: found?.centers ?? [], discoveredPasswordServers: found?.passwords ?? [],
                certificateAnchors: authorities, proxyAnchors: authorities,
                // A certificate that the payload names is no card's, whoever has issued it.
                choosesCards: files.certificate(settings.certificateUUID) == nil))
    }

    /// Looks for the servers of the realm's domain and for the site of this computer, though they are known. It takes some seconds
    /// at most.
    /// - Throws: ``AuthorizationFailure`` if the machine's own settings name the servers, so that others would not be used.
    func lookAgain(_ settings: KerberosSettings) async throws -> FoundServers {
        guard !configuration.machineNamesServers(of: settings.realm) else {
            throw AuthorizationFailure(
                .failed,
                "The krb5.conf of this computer names the servers of \(settings.realm), so no others are looked for.")
        }
        let found = await domains.servers(settings, isAnew: true)
        await prepare(settings)
        return found
    }

    /// The site of this computer; nil if it is not known.
    func site(_ settings: KerberosSettings) -> String? { settings.siteCode ?? domains.known(settings.realm)?.site }

    /// The name of the realm's domain; nil unless it is one of Active Directory.
    func knownDomain(_ settings: KerberosSettings) -> String? {
        domains.known(settings.realm)?.controllers.isEmpty == false ? settings.realm.lowercased() : nil
    }

    /// The failure as apps are told it, with the reason if the domain has no servers.
    func forApps(_ failure: KerberosFailure, _ settings: KerberosSettings) -> AuthorizationFailure {
        guard failure.kind == .unreachable, !configuration.machineNamesServers(of: settings.realm),
            let problem = domains.known(settings.realm)?.problem
        else { return failure.forApps }
        return AuthorizationFailure(.failed, "No server of \(settings.realm) answers. \(problem) (\(failure))")
    }

    /// Tells the person's programs where the ticket is, if they may find it.
    func publish(_ ticket: Ticket?, _ caches: TicketCaches) async throws {
        let cache = caches.isShared ? ticket?.cache : nil
        let isNew = published.withLock { published in
            defer { published = .some(cache) }
            return published != .some(cache)
        }
        guard isNew else { return }
        try await blocking { [configuration] in
            configuration.writeForPrograms(
                cache: cache, module: PrivateConfiguration.module, isMain: caches.isMain)
        }
    }

    func caches(_ settings: KerberosSettings) async throws -> TicketCaches {
        try await blocking { [self] in foundCaches(settings) }
    }

    /// Blocks.
    private func foundCaches(_ settings: KerberosSettings) -> TicketCaches {
        TicketCaches(settings, on: .current(ownFolder: folder.path))
    }

    /// - Returns: the principal whose ticket counts; nil if the payload names none.
    func fixedPrincipal(_ settings: KerberosSettings) -> String? {
        settings.principalName.flatMap { try? UserName($0, realm: settings.realm, isFixed: true) }?.principal
    }

    /// What is kept of the sign-in of a ticket's owner; nil if somebody else has signed in last, such as at the computer itself.
    func saved(_ realm: String, of ticket: Ticket) -> SavedSignIn? {
        store.read(realm).flatMap { $0.principal ?? ticket.principal == ticket.principal ? $0 : nil }
    }

    /// Whether a ticket is of somebody with this name, as far as is known.
    func isTicket(_ ticket: Ticket, of user: UserName, _ settings: KerberosSettings) -> Bool {
        user.isOwner(
            of: ticket, saved: store.read(settings.realm), facts: knownFacts(settings.realm, of: ticket))
    }

    /// Whether the payload puts off that apps have somebody sign in, and nobody has begun with it.
    func isSetupDelayed(_ settings: KerberosSettings) -> Bool {
        settings.delayUserSetup && !begunSetups.contains(settings.realm) && store.read(settings.realm) == nil
    }

    // MARK: Tickets without a form

    /// A ticket that is good now: one that is there, renewed if it is time, or one got with what the device has.
    /// - Parameter mustBeNew: whether one that is there is renewed in any case.
    /// - Returns: nil if a person has to be asked.
    /// - Throws: ``KerberosFailure`` if the KDC refuses or does not answer.
    func silentTicket(_ settings: KerberosSettings, mustBeNew: Bool = false) async throws -> Ticket? {
        try await silentSignIn(settings, mustBeNew: mustBeNew).ticket
    }

    /// As ``silentTicket(_:mustBeNew:)``. The session is told already of a ticket that is new.
    func silentSignIn(_ settings: KerberosSettings, mustBeNew: Bool = false) async throws -> SilentTicket {
        let caches = try await caches(settings)
        let principal = fixedPrincipal(settings)
        let wanted = Acquisition(caches: caches, principal: principal, mustBeNew: mustBeNew)
        return try await acquisitions.run(wanted) { [self] in
            let current = try await currentTicket(settings, caches, principal, mustBeNew: mustBeNew)
            // Once, however many callers have waited for it.
            if current.isNew { try await tellOfSignIn(settings) }
            return current
        }
    }

    private func currentTicket(
        _ settings: KerberosSettings, _ caches: TicketCaches, _ principal: String?, mustBeNew: Bool
    ) async throws -> SilentTicket {
        let now = surroundings.now()
        let found = try await blocking { Kerberos.ticket(in: caches, of: principal) }
        guard let found, found.isValid(at: now) else {
            let new = try await newSilentTicket(settings, caches, principal)
            return (new, new != nil)
        }
        guard mustBeNew || found.isDue(at: now) else { return (found, false) }
        guard found.isRenewable(at: now) else {
            do {
                let new = try await newSilentTicket(settings, caches, principal)
                return (new ?? found, new != nil)
            } catch let failure as KerberosFailure where !mustBeNew {
                // The one that is there is good for a while yet.
                writeToLog("there is no newer ticket of \(found.principal): \(failure)")
                return (found, false)
            }
        }
        do {
            let renewed = try await renewedTicket(found, caches, principal)
            if let ticket = renewed.ticket, ticket.isValid(at: surroundings.now()) { return renewed }
        } catch {
            writeToLog("the ticket of \(found.principal) is not renewed: \(error)")
            let new = try? await newSilentTicket(settings, caches, principal)
            return (new ?? found, new != nil)
        }
        let new = try await newSilentTicket(settings, caches, principal)
        return (new, new != nil)
    }

    /// Renews a ticket while nobody signs in or out, as that would be undone by it. Besides, the process for a card writes
    /// into the same cache.
    /// - Returns: the one that is there instead, if others have signed in or out before; it may be none.
    private func renewedTicket(
        _ ticket: Ticket, _ caches: TicketCaches, _ principal: String?
    ) async throws -> SilentTicket {
        try await passwords.pass(caches.realm) { () -> SilentTicket in
            let current = try await blocking { Kerberos.ticket(in: caches, of: principal) }
            guard current == ticket else { return (current, false) }
            let renewed = try await noting(caches.realm) {
                try await blocking { try Kerberos.renew(ticket, in: caches) }
            }
            return (renewed, true)
        }
    }

    /// From a keytab, a certificate or a saved password, whichever is there first.
    private func newSilentTicket(
        _ settings: KerberosSettings, _ caches: TicketCaches, _ principal: String?
    ) async throws -> Ticket? {
        let realm = settings.realm
        var refusal: KerberosFailure?
        if let path = files.keytab(of: realm),
            let owner = try await keytabOwner(path, realm, principal)
        {
            do {
                return try await keytabTicket(path, owner, caches)
            } catch let failure as KerberosFailure where failure.condemnsPassword {
                // The device may have something else with which to sign in.
                refusal = failure
            }
        }
        if let identity = files.certificate(settings.certificateUUID), let principal {
            do {
                return try await passwords.pass(realm) {
                    try await noting(realm) {
                        try await blocking {
                            try Kerberos.acquire(principal, .certificate(identity, PIN: nil), in: caches).ticket
                        }
                    }
                }
            } catch let failure as KerberosFailure where failure.kind == .noCertificate || failure.kind == .wrongPIN {
                writeToLog("the certificate of \(realm) does not sign in: \(failure)")
            }
        }
        let ticket = try await self.ticket(withSavedPassword: settings, caches, principal)
        if ticket == nil, let refusal { throw refusal }
        return ticket
    }

    /// The ticket that is there and good; nobody is asked for another.
    func ticketThere(_ settings: KerberosSettings) async throws -> Ticket? {
        try await blocking { [self] in look(settings).ticket }
    }

    /// The caches, and the ticket in them that is good. It blocks.
    func look(_ settings: KerberosSettings) -> (caches: TicketCaches, ticket: Ticket?) {
        let caches = foundCaches(settings)
        let ticket = Kerberos.ticket(in: caches, of: fixedPrincipal(settings))
        return (caches, ticket.flatMap { $0.isValid(at: surroundings.now()) ? $0 : nil })
    }

    /// Whether a ticket can be had without a person.
    func hasSilentProof(_ settings: KerberosSettings) -> Bool {
        files.keytab(of: settings.realm) != nil
            || (files.certificate(settings.certificateUUID) != nil && settings.principalName != nil)
            || (settings.maySavePassword && store.read(settings.realm)?.password != nil)
    }

    /// Changes what is saved for a realm as it is now: while something else was waited for, somebody may have signed out, or changed
    /// the password.
    func update(_ realm: String, _ change: @Sendable (inout SavedSignIn) -> Void) async {
        await passwords.pass(realm) {
            guard var saved = store.read(realm) else { return }
            change(&saved)
            store.write(saved, for: realm)
        }
    }

    /// Deletes tickets and what is saved for a realm.
    func forget(_ settings: KerberosSettings) async throws {
        let caches = try await caches(settings)
        try await passwords.pass(settings.realm) {
            store.remove(settings.realm)
            directory.forget(settings.realm)
            refusedKeytabs.forget(settings.realm)
            try await blocking { Kerberos.destroyTickets(in: caches) }
        }
        forgetAttempts(settings.realm)
    }

    /// Forgets what was found out about a realm, so that it is found out anew: servers and site, what the directory says, and what
    /// was in vain a moment ago. Tickets and passwords stay, and so does the note that a keytab was refused: any program may ask for
    /// this, and one that asked for it again and again could have the account locked.
    func forgetFindings(of realm: String) async {
        forgetAttempts(realm)
        // A sign-in that is under way finds out the same, and would lose it.
        await passwords.pass(realm) {
            domains.forget(realm)
            directory.forget(realm)
        }
    }

    /// The next request tries again, and the session is told again whether the domain is reached.
    private func forgetAttempts(_ realm: String) {
        reach.forget(realm)
        reached.withLock { $0[realm] = nil }
        canceled.withLock { $0[realm] = nil }
    }

    func forgetConfiguration(of realm: String) {
        configuration.remove(realm)
        // Other realms, or a new profile, write the file for programs anew.
        published.withLock { $0 = nil }
        domains.forget(realm)
        begunSetups.remove(realm)
    }

    // MARK: Forms

    /// Runs `body` when no other form of the realm is shown.
    /// - Parameter body: is told whether it has waited for another form.
    func withForm<Value: Sendable>(
        _ realm: String, _ body: (_ hasWaited: Bool) async throws -> Value
    ) async throws -> Value {
        let before = formsEnded.withLock { $0[realm] }
        return try await forms.pass(realm) {
            defer { formsEnded.withLock { $0[realm, default: 0] += 1 } }
            return try await body(formsEnded.withLock { $0[realm] } != before)
        }
    }

    // MARK: What was in vain

    private static let silence: Duration = .seconds(30)

    /// Whether nobody answered a moment ago, so that requests need not wait for it again.
    func wasUnreachable(_ realm: String) -> Bool {
        isReachable(realm) == false
    }

    /// Whether a KDC has answered, or none has, a moment ago; nil if it was not seen.
    func isReachable(_ realm: String) -> Bool? {
        reached.withLock { reached in
            guard let last = reached[realm], last.since.elapsed < Self.silence else { return nil }
            return last.isReached
        }
    }

    func note(isUnreachable: Bool, _ realm: String) {
        reached.withLock { $0[realm] = (!isUnreachable, Stopwatch()) }
        tell(isReached: !isUnreachable, realm)
    }

    /// Tells the session, if another run of the extension has not told it the same.
    private func tell(isReached: Bool, _ realm: String) {
        guard reach.isNew(realm, isReached: isReached) else { return }
        Task { [threads] in
            try await threads.run {
                (isReached ? SessionSignal.networkAvailable : .networkNotAvailable).tell(realm)
            }
        }
    }

    /// Notes whether the call has reached a KDC: with a success, or with a refusal. Where it has reached none, the session is
    /// told, and others try all the same: with a network that has just come, the next one may reach it.
    func noting<Value>(_ realm: String, _ body: () async throws -> Value) async throws -> Value {
        do {
            let value = try await body()
            note(isUnreachable: false, realm)
            return value
        } catch let failure as KerberosFailure where failure.isAnswer {
            note(isUnreachable: false, realm)
            throw failure
        } catch let failure as KerberosFailure where failure.kind == .unreachable {
            reached.withLock { reached in
                guard reached[realm]?.isReached == true else { return }
                reached[realm] = nil
            }
            tell(isReached: false, realm)
            throw failure
        }
    }

    /// Whether the person has just pressed Cancel: the many requests of a page must not ask one after the other.
    func wasCanceled(_ realm: String) -> Bool {
        canceled.withLock { $0[realm].map { $0.elapsed < Self.silence } ?? false }
    }

    func note(isCanceled: Bool, _ realm: String) {
        canceled.withLock { $0[realm] = isCanceled ? Stopwatch() : nil }
    }
}
