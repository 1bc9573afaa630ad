import Directory
import Foundation
import Ground
import Storage

/// Takes a person's decision on a parked request to sign in to an app.
package struct SignInService: Sendable {
    let database: any Database
    let surroundings: Surroundings
    private let tokens: TokenService
    /// The domain of hidden addresses. Nil if there is no relay, and so no address can be hidden.
    private let relayDomain: String?

    package init(database: any Database, surroundings: Surroundings, tokens: TokenService, relayDomain: String?) {
        self.database = database
        self.surroundings = surroundings
        self.tokens = tokens
        self.relayDomain = relayDomain
    }

    /// What the owner of a personal account enters at the first sign-in to an app. For a managed account it is ignored,
    /// because the organization decides.
    package struct Choice: Sendable {
        package let givenName: String?
        package let familyName: String?
        package let email: EmailChoice?

        package init(givenName: String? = nil, familyName: String? = nil, email: EmailChoice? = nil) {
            self.givenName = givenName
            self.familyName = familyName
            self.email = email
        }
    }

    package enum EmailChoice: String, Sendable {
        case share
        case hide
    }

    package enum Problem: Hashable, Sendable {
        case givenName
        case familyName
        case emailChoiceMissing
    }

    package enum Outcome: Sendable {
        case answer(AuthorizationResponse.Carrier)
        /// The person has allowed the waiting device to sign in.
        case deviceAllowed
        case deviceDenied
        /// The person has consented to the app; whether the device may sign in is the next question.
        case consented
        /// Something that the person entered is missing or not valid.
        case incomplete(SignInQuestion.Welcome, Set<Problem>)
        /// The person may not, or no longer, sign in to the app; or a page is needed.
        case refused(SignInQuestion)
        /// The request was answered already, and the answer was used: nothing is sent twice.
        case alreadyAnswered
    }

    /// What was recorded in the transaction, from which the answer to the app is made.
    private struct Recorded: Sendable {
        let parked: ParkedRequest
        let code: Secret
        let claims: PersonClaims
        let user: SharedUser?
        let app: App
    }

    private enum Step: Sendable {
        case done(Outcome)
        case recorded(Recorded)
    }

    /// Records the consent and issues a code, in one transaction.
    ///
    /// Pressing Continue twice, or again after the back button, gives a new code instead of the one that the browser
    /// dropped. Once a code was redeemed, the request is over.
    /// - Parameter choice: what the person has entered; nil if no page seemed necessary, and so nothing was pressed. If
    ///   it turns out to be a first sign-in, because the person has just stopped using the app, it is refused.
    /// - Throws: ``OAuthError`` if the app may not make the request any more.
    package func proceed(
        _ parked: ParkedRequest, by session: BrowserSession, choice: Choice?, origin: Origin
    ) async throws -> Outcome {
        let now = surroundings.now()
        return try await finish(
            database.write { try record(parked, session, choice, origin, at: now, in: $0) }, in: session)
    }

    /// Parks a request and issues a code for it, in one transaction and without a page.
    ///
    /// The request is parked all the same, because a repeated code or request is recognized by it.
    /// - Parameters:
    ///   - browser: the secret in the cookie of the browser.
    ///   - address: of the client that brought the request.
    /// - Returns: as ``proceed(_:by:choice:origin:)`` without a choice.
    /// - Throws: ``OAuthError`` if the app may not make the request any more.
    func answerAtOnce(
        _ request: AuthorizationRequest, browser: String, address: AddressBlock?, by session: BrowserSession,
        origin: Origin
    ) async throws -> Outcome {
        let now = surroundings.now()
        let step = try await database.write { transaction in
            let token = try ParkedRequest.insert(
                request, browser: browser, address: address, at: now, from: surroundings, in: transaction)
            let parked = ParkedRequest(tokenHash: token.hash, request: request, sessionHash: nil, answer: nil)
            return try record(parked, session, nil, origin, at: now, in: transaction)
        }
        return try await finish(step, in: session)
    }

    private func finish(_ step: Step, in session: BrowserSession) async throws -> Outcome {
        switch step {
        case .done(let outcome): return outcome
        case .recorded(let recorded):
            let parked = recorded.parked
            let identityToken =
                parked.request.returnsIdentityToken
                ? try await tokens.identityToken(
                    of: recorded.claims, for: parked, code: recorded.code.text, app: recorded.app,
                    in: session)
                : nil
            return .answer(
                parked.request.response.code(recorded.code.text, identityToken: identityToken, user: recorded.user))
        }
    }

    private func record(
        _ parked: ParkedRequest, _ session: BrowserSession, _ choice: Choice?, _ origin: Origin, at now: Date,
        in transaction: WriteTransaction
    ) throws -> Step {
        guard parked.accepts(session), let session = try BrowserSession.reload(session, at: now, in: transaction),
            let parked = try ParkedRequest.reload(parked, in: transaction)
        else { return .done(.alreadyAnswered) }
        let request = parked.request
        let question = try SignInQuestion.find(for: request, person: session.person.id, at: now, in: transaction)
        guard parked.answer != .denied, try !AuthorizationCode.wasRedeemed(for: parked, in: transaction),
            try request.deviceHash.map({ try DeviceAuthorization.isWaiting($0, at: now, in: transaction) }) ?? true
        else { return .done(.alreadyAnswered) }
        let consent: SignInConsent
        let welcome: SignInQuestion.Welcome
        switch question {
        case .blocked(let app, _, let reason):
            try noteBlocked(
                session.person, from: app, reason, parked: parked, origin: origin, at: now, in: transaction)
            return .done(.refused(question))
        case .welcome(let known):
            // `welcome` means that there is a consent.
            consent = known.existing!
            if known.replacesHiddenAddress, let relayDomain {
                _ = try HiddenAddress.findOrInsert(
                    of: known.person, for: known.app, domain: relayDomain, now: now, from: surroundings,
                    in: transaction)
            }
            welcome = known
        case .create(let first):
            guard let choice else { return .done(.refused(question)) }
            let problems = check(choice, for: first)
            guard problems.isEmpty else { return .done(.incomplete(first, problems)) }
            consent = try put(choice, for: first, parked, origin, at: now, in: transaction)
            welcome = first
            if request.deviceHash != nil, first.isEditable { return .done(.consented) }
        }
        if let device = request.deviceHash {
            // Two people may approve the same code at once: only the first one has signed the device in.
            let isFirst = try DeviceAuthorization.allow(
                device, consent: consent.id, session: session, at: now, in: transaction)
            guard isFirst else { return .done(.alreadyAnswered) }
        }
        try parked.record(.allowed, in: transaction)
        try AuditEntry(
            .appSignIn, by: .person(session.person.id), on: "app:\(welcome.app.id.rawValue)", outcome: .done,
            detail: request.scopes.text, from: origin
        ).append(to: welcome.organization?.id, at: now, in: transaction)
        guard request.deviceHash == nil else { return .done(.deviceAllowed) }
        let claims = try PersonClaims(
            of: welcome.person, in: welcome.organization, to: welcome.app, request.profile, consent: consent,
            at: now, in: transaction)
        let code = try AuthorizationCode.insert(
            for: parked, basis: .person(consent.id), session: session, at: now, from: surroundings, in: transaction)
        let isFirst = consent.requestHash == parked.tokenHash && request.profile.manners.answersCarryUser
        return .recorded(
            Recorded(
                parked: parked, code: code, claims: claims,
                user: isFirst ? claims.sharedUser(for: request.scopes) : nil,
                app: welcome.app))
    }

    /// Checks a name, which may be as typed or still as stored in the account.
    private static func name(_ typed: String?, unlessStill stored: String) throws -> String {
        try FieldRule.name.check(typed ?? "", unlessStill: stored, field: "")
    }

    private func check(_ choice: Choice, for welcome: SignInQuestion.Welcome) -> Set<Problem> {
        guard welcome.organization == nil else { return [] }
        var problems: Set<Problem> = []
        func isFine(_ text: String?, _ stored: String) -> Bool { (try? Self.name(text, unlessStill: stored)) != nil }
        if welcome.asksForName {
            if !isFine(choice.givenName, welcome.person.givenName) { problems.insert(.givenName) }
            if !isFine(choice.familyName, welcome.person.familyName) { problems.insert(.familyName) }
        }
        if welcome.sharesEmail {
            switch choice.email {
            case nil: problems.insert(.emailChoiceMissing)
            case .hide where relayDomain == nil: problems.insert(.emailChoiceMissing)
            case .hide, .share: break
            }
        }
        return problems
    }

    private func put(
        _ choice: Choice, for welcome: SignInQuestion.Welcome, _ parked: ParkedRequest, _ origin: Origin, at now: Date,
        in transaction: WriteTransaction
    ) throws -> SignInConsent {
        let isPersonal = welcome.organization == nil
        let before = welcome.existing
        let scopes = welcome.scopes.intersection(.aboutPerson).union(before?.scopes ?? ScopeSet([]))
        let writesName = isPersonal && welcome.asksForName
        let hides = isPersonal && (welcome.sharesEmail ? choice.email == .hide : before?.hidesEmail == true)
        if hides, welcome.sharesEmail { try hideEmail(of: welcome, origin, at: now, in: transaction) }
        let consent = try SignInConsent.put(
            app: welcome.app.id, person: welcome.person.id, scopes: scopes,
            givenName: writesName
                ? try Self.name(choice.givenName, unlessStill: welcome.person.givenName) : before?.givenName,
            familyName: writesName
                ? try Self.name(choice.familyName, unlessStill: welcome.person.familyName) : before?.familyName,
            hidesEmail: hides, request: parked.tokenHash, at: now, in: transaction)
        if before?.hidesEmail == true, !hides {
            // From now on the app gets the person's own address.
            try consent.endUnusedHiddenAddresses(
                by: .person(welcome.person.id), from: origin, at: now, surroundings: surroundings, in: transaction)
        }
        return consent
    }

    /// Finds or makes the person's hidden address for the app's team, and switches forwarding on, as the page has
    /// announced.
    private func hideEmail(
        of welcome: SignInQuestion.Welcome, _ origin: Origin, at now: Date, in transaction: WriteTransaction
    ) throws {
        guard let relayDomain else { return }
        let (person, team) = (welcome.person, welcome.app.teamID)
        let address = try HiddenAddress.findOrInsert(
            of: person, at: team, domain: relayDomain, now: now, from: surroundings, in: transaction)
        try address.setForwarding(
            true, apps: try address.apps(in: transaction), by: .person(person.id), from: origin, at: now,
            surroundings: surroundings, in: transaction)
    }

    /// Records in the audit trail that a person was not let in: once per request, however often its page is shown.
    /// - Parameter parked: nil if the app got the error at once, without a page.
    package func noteBlocked(
        _ person: Person, from app: App, _ reason: SignInAccess.Reason, parked: ParkedRequest?, origin: Origin
    ) async throws {
        let now = surroundings.now()
        try await database.write { transaction in
            try noteBlocked(person, from: app, reason, parked: parked, origin: origin, at: now, in: transaction)
        }
    }

    private func noteBlocked(
        _ person: Person, from app: App, _ reason: SignInAccess.Reason, parked: ParkedRequest?, origin: Origin,
        at now: Date, in transaction: WriteTransaction
    ) throws {
        guard try parked?.noteBlocked(at: now, in: transaction) ?? true else { return }
        try AuditEntry(
            .appSignIn, by: .person(person.id), on: "app:\(app.id.rawValue)", outcome: .refused, detail: reason.text,
            from: origin
        ).append(to: person.organizationID, at: now, in: transaction)
    }

    /// Sends the person back to the app without a code.
    /// - Throws: ``OAuthError`` if the app has been removed.
    package func cancel(_ parked: ParkedRequest, by person: Person?, origin: Origin) async throws -> Outcome {
        let now = surroundings.now()
        return try await database.write { transaction in
            guard let parked = try ParkedRequest.reload(parked, in: transaction), parked.answer != .allowed
            else { return .alreadyAnswered }
            try parked.record(.denied, in: transaction)
            if let person, let app = try App.find(clientID: parked.request.clientID, in: transaction) {
                try AuditEntry(
                    .appSignInCancelled, by: .person(person.id), on: "app:\(app.id.rawValue)", outcome: .done,
                    from: origin
                ).append(to: person.organizationID, at: now, in: transaction)
            }
            if let device = parked.request.deviceHash {
                try DeviceAuthorization.deny(device, in: transaction)
                return .deviceDenied
            }
            return .answer(
                parked.request.response.cancelled(as: parked.request.profile.manners.cancelledError))
        }
    }
}
