import ExtensionVault
import Ground
import KerberosProfile
import SingleSignOnExtension
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers one request of the broker.
struct Answering: Sendable {
    let request: ASAuthorizationProviderExtensionAuthorizationRequest
    let desk: Desk

    /// Answers exactly once, unless the request was canceled.
    func run() async {
        let settings = KerberosSettings(realm: request.realm, extensionData: request.extensionData)
        do {
            guard !settings.realm.isEmpty else {
                for finding in settings.findings { writeToLog("\(finding.key) \(finding.problem)") }
                return request.doNotHandle()
            }
            await desk.deletePasswordIfForbidden(settings)
            switch request.requestedOperation {
            case .none: await answerChallenge(settings)
            case .login:
                await desk.prepare(settings)
                try await answerLogin(settings)
            case .refresh:
                await desk.prepare(settings)
                try await answerRefresh(settings)
            case .logout:
                try await desk.forget(settings)
                request.wakeExtension(at: nil)
                request.complete()
            case .wake:
                await desk.prepare(settings)
                await answerWake(settings)
            case .configurationRemoved:
                try await desk.forget(settings)
                desk.forgetConfiguration(of: settings.realm)
                request.complete()
            case .changePassword:
                await desk.prepare(settings)
                try await answerChange(settings)
            case .status: try await answerStatus(settings)
            case .ticket:
                await desk.prepare(settings)
                try await answerTicket(settings)
            case .forgetPassword:
                try await desk.forgetPassword(of: settings.realm)
                try await answerStatus(settings)
            case .proceed:
                desk.begunSetups.add(settings.realm)
                try await answerStatus(settings)
            case .site: try await answerSite(settings)
            case .reset:
                await desk.forgetFindings(of: settings.realm)
                request.complete()
            default: request.doNotHandle()
            }
        } catch is CancellationError {
            request.cancel()
        } catch let failure as AuthorizationFailure {
            request.complete(error: failure)
        } catch let failure as KerberosFailure {
            request.complete(error: desk.forApps(failure, settings))
        } catch {
            request.complete(error: AuthorizationFailure(.failed, "\(error)"))
        }
    }

    // MARK: Operations

    private func answerLogin(_ settings: KerberosSettings) async throws {
        var ticket: Ticket?
        let wanted = try wantedUser(settings)
        var isTold = false
        do {
            if request.authorizationOptions["force"]?.text != "true" {
                (ticket, isTold) = try await desk.silentSignIn(settings)
                if let wanted, let found = ticket, !desk.isTicket(found, of: wanted, settings) { ticket = nil }
            }
        } catch let failure as KerberosFailure where failure.kind != .unreachable {
            writeToLog("\(settings.realm): \(failure)")
        }
        if ticket == nil {
            guard request.authorizationOptions["proceed"]?.text == "true" || !desk.isSetupDelayed(settings) else {
                throw AuthorizationFailure(
                    .notInteractive,
                    "The profile of \(settings.realm) has nobody sign in before a server asks for a ticket. "
                        + "`lanyard-sso kerberos proceed` lets apps ask before.")
            }
            ticket = try await SignIn(request: request, desk: desk, settings: settings).run()
        } else if !isTold {
            try await desk.tellOfSignIn(settings)
        }
        guard let ticket else { return request.cancel() }
        try await complete(with: ticket, settings)
    }

    /// The name of the option `userName`, with which a caller says who is to sign in; nil if it says nobody.
    private func wantedUser(_ settings: KerberosSettings) throws -> UserName? {
        guard let text = request.authorizationOptions["userName"]?.text else { return nil }
        guard let name = try? UserName(text, realm: settings.realm) else {
            throw AuthorizationFailure(.failed, "“\(text.printable())” is no user name.")
        }
        if let fixed = desk.fixedPrincipal(settings), fixed.lowercased() != name.principal.lowercased() {
            throw AuthorizationFailure(
                .failed, "The profile lets nobody sign in to \(settings.realm) but \(fixed.printable()).")
        }
        return name
    }

    /// For the module in the person's programs, which name no ticket themselves: one that is good now, without a form.
    private func answerTicket(_ settings: KerberosSettings) async throws {
        guard settings.credentialUseMode != .kerberosDefault, mayUseTicket(settings) else {
            return request.doNotHandle()
        }
        guard let ticket = try await quickTicket(settings) else {
            throw AuthorizationFailure(.notInteractive, "Somebody has to sign in to \(settings.realm).")
        }
        // The program waits for a few seconds: nothing else is asked, and nothing shown.
        planWake(settings, after: ticket)
        try await tell(ticket, desk.knownFacts(settings.realm, of: ticket), settings)
    }

    /// Says what is there, and gets nothing. With the option `network` it also asks whether a KDC answers.
    private func answerStatus(_ settings: KerberosSettings) async throws {
        let realm = settings.realm
        var isReached: Bool?
        if request.authorizationOptions["network"]?.text == "true" {
            await desk.prepare(settings)
            let principal = desk.fixedPrincipal(settings)
            let answer: Void? = try? await within(.seconds(10)) { [desk] in
                try await desk.blocking { try Kerberos.reach(realm, as: principal) }
            }
            desk.note(isUnreachable: answer == nil, realm)
            isReached = answer != nil
        }
        let ticket = try await desk.ticketThere(settings)
        try await tell(ticket, ticket.flatMap { desk.knownFacts(realm, of: $0) }, settings, isAvailable: isReached)
    }

    /// Looks for the site of this computer, though it may be known, and says which servers were found.
    private func answerSite(_ settings: KerberosSettings) async throws {
        guard settings.siteCode != nil || settings.useSiteAutoDiscovery else {
            throw AuthorizationFailure(
                .failed, "The profile of \(settings.realm) has useSiteAutoDiscovery as false, and names no site.")
        }
        let found = try await desk.lookAgain(settings)
        if let problem = found.problem { throw AuthorizationFailure(.failed, problem) }
        let ticket = try await desk.ticketThere(settings)
        try await tell(
            ticket, ticket.flatMap { desk.knownFacts(settings.realm, of: $0) }, settings, found: found)
    }

    private func answerRefresh(_ settings: KerberosSettings) async throws {
        guard let ticket = try await desk.silentTicket(settings, mustBeNew: true) else {
            throw AuthorizationFailure(.notInteractive, "Somebody has to sign in to \(settings.realm).")
        }
        try await complete(with: ticket, settings)
    }

    private func answerChange(_ settings: KerberosSettings) async throws {
        guard settings.allowPasswordChange else {
            throw AuthorizationFailure(.failed, "The profile does not let passwords be changed here.")
        }
        if let page = settings.pwChangeURL {
            guard request.isUserInterfaceEnabled, DesktopPage.open(page) else {
                throw AuthorizationFailure(.failed, "Passwords of \(settings.realm) are changed at \(page).")
            }
            // Nothing is changed yet.
            let header = HeaderField(TicketHeaders.Name.passwordPage.header, page)
            return request.complete(
                httpResponse: ASHTTPResponse(
                    url: request.url, statusCode: 200,
                    headerFields: [header, HeaderField("Cache-Control", "no-store")]))
        }
        guard try await SignIn(request: request, desk: desk, settings: settings).changePassword() else {
            return request.cancel()
        }
        request.complete()
    }

    /// Renews the ticket before it ends, without anybody. docs/specifications/extensible-single-sign-on.md, 22.19.
    private func answerWake(_ settings: KerberosSettings) async {
        let isForNetwork = request.authorizationOptions["reason"]?.text == Self.networkReason
        var ticket: Ticket?
        do {
            if settings.monitorCredentialsCache || isForNetwork {
                let found = try await within(.seconds(40)) { [desk] in try await desk.silentTicket(settings) }
                ticket = found ?? nil
            } else {
                ticket = try await desk.ticketThere(settings)
            }
        } catch {
            writeToLog("\(settings.realm): \(error)")
            ticket = try? await desk.ticketThere(settings)
        }
        if let ticket { _ = await desk.facts(settings, of: ticket) }
        await tellWhatIsDue(settings, ticket)
        request.complete()
    }

    /// What the broker says in the option `reason`.
    private static let networkReason = "network"

    /// Tells the person and the session what is due, and the broker when there is something to do again.
    private func tellWhatIsDue(_ settings: KerberosSettings, _ ticket: Ticket?) async {
        await desk.notify(settings)
        // Where it cannot be told now, it is at the next time.
        try? await desk.tellOfExpiry(settings)
        planWake(settings, after: ticket)
    }

    private func planWake(_ settings: KerberosSettings, after ticket: Ticket?) {
        let wake = desk.wake(settings, after: ticket)
        request.wakeExtension(at: wake.at, onNetworkChange: wake.isForNetwork)
    }

    private func complete(with ticket: Ticket, _ settings: KerberosSettings) async throws {
        // First, because it may tell when the password expires.
        let facts = await desk.facts(settings, of: ticket)
        await tellWhatIsDue(settings, ticket)
        try await tell(ticket, facts, settings)
    }

    /// - Parameters:
    ///   - isAvailable: whether a KDC has just answered; nil if none was asked.
    ///   - found: the servers that were just looked for; nil if none were.
    private func tell(
        _ ticket: Ticket?, _ facts: DirectoryFacts?, _ settings: KerberosSettings, isAvailable: Bool? = nil,
        found: FoundServers? = nil
    ) async throws {
        let realm = settings.realm
        let caches = try await desk.caches(settings)
        if ticket != nil { try await desk.publish(ticket, caches) }
        let saved = ticket.map { desk.saved(realm, of: $0) } ?? desk.store.read(realm)
        let headers = TicketHeaders(
            ticket: ticket, caches: caches, saved: saved,
            domain: desk.knownDomain(settings), passwordExpires: saved?.passwordExpires(settings), facts: facts,
            site: desk.site(settings), isNetworkAvailable: isAvailable ?? desk.isReachable(realm),
            refusedKeytab: desk.refusedKeytab(settings), isSetupDelayed: desk.isSetupDelayed(settings),
            foundServers: found?.keyDistributionCenters)
        request.complete(
            httpResponse: ASHTTPResponse(
                url: request.url, statusCode: 200,
                headerFields: headers.fields + [HeaderField("Cache-Control", "no-store")]))
    }

    // MARK: Challenges

    /// Answers with a ticket, and leaves everything else to the caller: a server that cannot be reached or does not know the
    /// person must not keep a page from loading.
    private func answerChallenge(_ settings: KerberosSettings) async {
        guard request.isChallenge, let host = host, mayUseTicket(settings) else { return request.doNotHandle() }
        let isProxy = request.authorizationOptions["isProxy"]?.flag == true
        let values = (request.authorizationOptions["challenges"]?.elements ?? []).compactMap(\.text)
        guard case .challenge(let challenge) = NegotiateChallenge.find(in: values) else {
            return request.doNotHandle()
        }
        let key = OpenNegotiations.Key(
            caller: request.callerBundleIdentifier, conversation: request.conversation ?? "", host: host,
            isProxy: isProxy)
        do {
            // A challenge without a token begins anew, also where another negotiation was open.
            let open = desk.negotiations.take(key)
            let context: SecurityContext
            let (token, isComplete): ([UInt8], Bool)
            // One that was got for this request, so that it is not known yet when it ends.
            var fresh: Ticket?
            if challenge.token.isEmpty {
                await desk.prepare(settings)
                guard let found = try await lookAndBegin(host, settings) else { return request.doNotHandle() }
                let begun: Beginning
                if let beginning = found.beginning {
                    try await desk.publish(found.ticket, found.caches)
                    begun = try beginning.get()
                } else {
                    guard let ticket = try await ticketForChallenge(settings) else { return }
                    if ticket != found.ticket { fresh = ticket }
                    try await desk.publish(ticket, found.caches)
                    guard let beginning = try await begin(ticket, host, settings) else { return request.doNotHandle() }
                    begun = beginning
                }
                (context, token, isComplete) = begun
            } else if let open {
                context = open
                (token, isComplete) = try await desk.blocking { try open.step(challenge.token) }
            } else {
                writeToLog("\(host) continues a negotiation that was not begun here, or has been given up")
                return request.doNotHandle()
            }
            guard !token.isEmpty else {
                writeToLog("\(host) has proved who it is, and refuses")
                return request.doNotHandle()
            }
            if !isComplete { desk.negotiations.keep(context, as: key) }
            if let fresh { await tellWhatIsDue(settings, fresh) }
            let value = "Negotiate \(Data(token).base64EncodedString())"
            request.complete(
                httpAuthorizationHeaders: [isProxy ? "Proxy-Authorization" : "Authorization": value])
        } catch {
            writeToLog("\(host) is left to the caller: \(error)")
            request.doNotHandle()
        }
    }

    private typealias Beginning = (context: SecurityContext, token: [UInt8], isComplete: Bool)
    private typealias Found = (caches: TicketCaches, ticket: Ticket?, beginning: Result<Beginning, any Error>?)

    /// Looks for a ticket, and begins a negotiation with one that is not due, in one step: another thread would have to be woken up
    /// for a second one.
    /// - Returns: nil if no KDC answers in time.
    private func lookAndBegin(_ host: String, _ settings: KerberosSettings) async throws -> Found? {
        let (binding, delegates) = (binding, self.delegates(settings))
        return try await inTime(host, settings) { [desk] in
            let (caches, ticket) = desk.look(settings)
            guard let ticket, !ticket.isDue(at: desk.surroundings.now()) else { return (caches, ticket, nil) }
            return (caches, ticket, Result { try Self.begin(ticket, host, binding, delegates) })
        }
    }

    private func begin(_ ticket: Ticket, _ host: String, _ settings: KerberosSettings) async throws -> Beginning? {
        let (binding, delegates) = (binding, self.delegates(settings))
        return try await inTime(host, settings) { try Self.begin(ticket, host, binding, delegates) }
    }

    /// Begins a negotiation with a ticket for the realm, with which the library asks the KDC for one for the host. It blocks.
    ///
    /// All on one thread: the kernel lets only the thread that has opened a keyring read the tickets in it.
    private static func begin(
        _ ticket: Ticket, _ host: String, _ binding: ChannelBinding?, _ delegates: Bool
    ) throws -> Beginning {
        let context = try SecurityContext(cache: ticket.cache, host: host, binding: binding, delegates: delegates)
        let (token, isComplete) = try context.step([])
        return (context, token, isComplete)
    }

    /// Whether a server may get a ticket with which it acts for the person. A proxy has nothing to do for anybody.
    private func delegates(_ settings: KerberosSettings) -> Bool {
        settings.allowDelegation && request.authorizationOptions["isProxy"]?.flag != true
    }

    private var binding: ChannelBinding? {
        request.serverCertificate.flatMap { ChannelBinding(certificate: [UInt8]($0)) }
    }

    /// Runs what blocks until a KDC answers, and waits for some seconds: a person with a ticket would otherwise wait for half a
    /// minute, for each host.
    /// - Returns: what `body` returns; nil if the time is over.
    private func inTime<Value: Sendable>(
        _ host: String, _ settings: KerberosSettings, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value? {
        let done = try await within(desk.wasUnreachable(settings.realm) ? .seconds(2) : .seconds(8)) { [desk] in
            try await desk.blocking(body)
        }
        if done == nil {
            desk.note(isUnreachable: true, settings.realm)
            writeToLog("\(host) is left to the caller: no KDC gives a ticket for it in time")
        }
        return done
    }

    /// - Returns: nil if the request has been answered.
    private func ticketForChallenge(_ settings: KerberosSettings) async throws -> Ticket? {
        let realm = settings.realm
        if let ticket = try await quickTicket(settings) { return ticket }
        guard request.isUserInterfaceEnabled, !desk.wasUnreachable(realm), !desk.wasCanceled(realm) else {
            request.doNotHandle()
            return nil
        }
        guard let ticket = try await SignIn(request: request, desk: desk, settings: settings).run() else {
            request.doNotHandle()
            return nil
        }
        return ticket
    }

    /// A ticket that can be had without a form within a few seconds; one that is there and good where no KDC answers.
    private func quickTicket(_ settings: KerberosSettings) async throws -> Ticket? {
        if !desk.wasUnreachable(settings.realm) {
            // Where this request waits for a person's sign-in, the network is not what keeps it waiting.
            let (hasWaited, ended) = (desk.isSigningIn(settings.realm), desk.signInsEnded(settings.realm))
            do {
                let found = try await within(.seconds(8)) { try await desk.silentTicket(settings) }
                if let found { return found }
                let isAlone =
                    !hasWaited && !desk.isSigningIn(settings.realm) && desk.signInsEnded(settings.realm) == ended
                if isAlone { desk.note(isUnreachable: true, settings.realm) }
            } catch let failure as KerberosFailure {
                writeToLog("\(settings.realm): \(failure)")
                if failure.kind == .unreachable { desk.note(isUnreachable: true, settings.realm) }
            }
        }
        return try await desk.ticketThere(settings)
    }

    private var host: String? {
        guard var host = request.url.host(percentEncoded: false)?.lowercased() else { return nil }
        if host.hasSuffix(".") { host.removeLast() }
        let isName = host.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F
        }
        return isName && !host.isEmpty ? host : nil
    }

    /// docs/specifications/extensible-single-sign-on.md, 22.21: the callers that the payload names, with managed apps if it says
    /// so; everybody if it says neither. Which other programs find the ticket is decided by its cache.
    private func mayUseTicket(_ settings: KerberosSettings) -> Bool {
        let isManaged = settings.includeManagedAppsInBundleIdACL && request.isCallerManaged
        guard let names = settings.credentialBundleIdACL else {
            return isManaged || !settings.includeManagedAppsInBundleIdACL
        }
        return isManaged || names.contains(request.callerBundleIdentifier)
    }
}

extension ASAuthorizationProviderAuthorizationOperation {
    /// Not one of Apple's operations: shows the form with which a password is changed.
    static let changePassword = Self("changePassword")
    /// Not one of Apple's operations: tells what is known of a realm, and asks nobody.
    static let status = Self("status")
    /// Not one of Apple's operations: gets a ticket if nobody has to be asked, and says where it is.
    static let ticket = Self("ticket")
    /// Not one of Apple's operations: deletes the saved password, and keeps the ticket.
    static let forgetPassword = Self("forgetPassword")
    /// Not one of Apple's operations: lets apps have people sign in, where the payload puts that off.
    static let proceed = Self("proceed")
    /// Not one of Apple's operations: looks for the site of this computer.
    static let site = Self("site")
    /// Not one of Apple's operations: forgets what was found out about a realm, and keeps tickets and passwords.
    static let reset = Self("reset")
}
