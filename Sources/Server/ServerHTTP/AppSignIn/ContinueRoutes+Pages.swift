import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import Logging
import ServerPages
import Storage

/// The pages at `/continue/…`.
extension ContinueRoutes {
    func signInPage(_ visit: Visit) async throws -> Response {
        let now = surroundings.now()
        let (place, known) = try await database.read { transaction in
            (
                try SignInPlace(visit.parked.request, path: visit.path, in: transaction),
                // A person is signed in, but their sign-in is too old for this app.
                try visit.visitor.sessionToken.flatMap {
                    try BrowserSession.find(token: $0, at: now, in: transaction)?.person
                }
            )
        }
        if known == nil,
            let address = offers.ticketAddress(
                then: visit.path, at: place, visit.request, visit.context, visit.visitor)
        {
            return .seeOther(address)
        }
        // If the app asks for one person, the name of another one who is signed in is not filled in.
        let asked = visit.parked.request.person
        let name = known.flatMap { asked == nil || asked == $0.id ? $0.userName : nil }
        return respond(
            with: offers.signInPage(
                for: place, then: visit.path, userName: visit.parked.request.loginHint ?? name ?? "",
                to: visit.visitor),
            visit)
    }

    func page(
        for question: SignInQuestion, _ visit: Visit, _ session: BrowserSession, choice: SignInService.Choice? = nil,
        problems: Set<SignInService.Problem> = []
    ) async throws -> Response {
        let switchAccount = Form.signOut(then: visit.path)
        switch question {
        case .welcome(let welcome):
            if let approval = try await approvalPage(welcome, visit) { return approval }
            return respond(
                with: WelcomePage(
                    app: RequestingApp(welcome.app, welcome.team, asking: visit.parked.request),
                    account: AccountKind(welcome.organization), person: try await signedIn(welcome.person),
                    shared: shared(welcome, visit), decision: Form(action: visit.path),
                    switchAccount: switchAccount),
                visit)
        case .create(let welcome):
            if !welcome.isEditable, let approval = try await approvalPage(welcome, visit) { return approval }
            return respond(
                with: AccountCreationPage(
                    app: RequestingApp(welcome.app, welcome.team, asking: visit.parked.request),
                    person: try await signedIn(welcome.person),
                    subject: subject(welcome, choice, visit),
                    problems: Set(problems.map(AccountCreationPage.Problem.init)),
                    decision: Form(action: visit.path), switchAccount: switchAccount),
                status: problems.isEmpty ? .ok : .unprocessableContent, visit)
        case .blocked(let app, let organization, let reason):
            // Otherwise the account was closed in the meantime, or the app was removed.
            guard let organization, case .appNotListed = reason else { throw PageError.expired }
            visit.context.logger.notice("refused", metadata: ["reason": "\(reason.text)"])
            try await signIns.noteBlocked(
                session.person, from: app, reason, parked: visit.parked, origin: visit.origin)
            let now = surroundings.now()
            let (requesting, contacts) = try await database.read { transaction in
                (
                    try RequestingApp.find(visit.parked.request.clientID, in: transaction),
                    try Organization.contacts(for: .signIn, of: organization.id, at: now, in: transaction)
                )
            }
            return respond(
                with: BlockedPage(
                    app: requesting, organization: Badge(organization),
                    person: try await signedIn(session.person),
                    contacts: contacts.map(Contact.init),
                    back: .deny(at: visit.path), switchAccount: switchAccount),
                status: .forbidden, visit)
        }
    }

    private func approvalPage(_ welcome: SignInQuestion.Welcome, _ visit: Visit) async throws -> Response? {
        let waiting = try await database.read { try DeviceAuthorization.find(for: visit.parked.request, in: $0) }
        guard let waiting else { return nil }
        return respond(
            with: DeviceApprovalPage(
                app: RequestingApp(welcome.app, welcome.team, asking: visit.parked.request),
                account: AccountKind(welcome.organization), person: try await signedIn(welcome.person),
                shared: shared(welcome, visit), userCode: waiting.userCode,
                decision: Form(action: visit.path), switchAccount: .signOut(then: visit.path)),
            visit)
    }

    private func subject(
        _ welcome: SignInQuestion.Welcome, _ choice: SignInService.Choice?, _ visit: Visit
    ) -> AccountCreationPage.Subject {
        if let organization = welcome.organization {
            return .managed(
                organization: Badge(organization),
                shared: shared(welcome, visit))
        }
        let existing = welcome.existing
        let name = AccountCreationPage.EditableName(
            // A field that the person has emptied stays empty, with the error message beside it.
            givenName: choice.map { $0.givenName ?? "" } ?? existing?.givenName ?? welcome.person.givenName,
            familyName: choice.map { $0.familyName ?? "" } ?? existing?.familyName ?? welcome.person.familyName)
        let email = welcome.person.email.map { address in
            AccountCreationPage.EditableEmail(
                address: address, canHide: canHideEmail,
                chosen: choice?.email.map { $0 == .hide ? .hide : .share }
                    ?? existing.map { $0.hidesEmail ? .hide : .share })
        }
        return .personal(name: welcome.asksForName ? name : nil, email: welcome.asksForEmail ? email : nil)
    }

    private func shared(_ welcome: SignInQuestion.Welcome, _ visit: Visit) -> SharedWithApp {
        SharedWithApp(welcome, visit.parked.request.profile.manners, canHideEmail: canHideEmail)
    }

    private func signedIn(_ person: Person) async throws -> SignedInPerson {
        let now = surroundings.now()
        return try await database.read { try SignedInPerson(person, at: now, in: $0) }
    }

    private func respond(
        with page: some Page, status: HTTPResponse.Status = .ok, _ visit: Visit
    ) -> Response {
        pages.respond(
            with: page, status: status, to: visit.request, visit.context, visitor: visit.visitor,
            leadsToApp: visit.parked.request.deviceHash == nil, currentPath: visit.path)
    }

    /// The page after the decision about a device; nil while the device waits, and for requests that are not a
    /// device's.
    func deviceDonePage(_ visit: Visit) async throws -> Response? {
        guard visit.parked.request.deviceHash != nil, let answer = visit.parked.answer else { return nil }
        return try await deviceDonePage(answer == .allowed ? .allowed : .denied, visit)
    }

    func deviceDonePage(_ outcome: DeviceDonePage.Outcome, _ visit: Visit) async throws -> Response {
        respond(with: DeviceDonePage(outcome, appName: try await visit.parked.appName(in: database)), visit)
    }
}

extension AccountCreationPage.Problem {
    fileprivate init(_ problem: SignInService.Problem) {
        self =
            switch problem {
            case .givenName: .givenNameMissing
            case .familyName: .familyNameMissing
            case .emailChoiceMissing: .emailChoiceMissing
            }
    }
}

extension SharedWithApp {
    /// What an app gets at this sign-in, as shared before or as stored in the directory.
    ///
    /// Where ``ProtocolManners/repeatsWhatWasShared`` is set, it includes what the app does not ask for this time.
    fileprivate init(_ welcome: SignInQuestion.Welcome, _ manners: ProtocolManners, canHideEmail: Bool) {
        let (person, existing) = (welcome.person, welcome.existing)
        let told =
            manners.repeatsWhatWasShared ? welcome.scopes.union(existing?.scopes ?? ScopeSet([])) : welcome.scopes
        let name = Person.fullName(
            givenName: existing?.givenName ?? person.givenName, familyName: existing?.familyName ?? person.familyName)
        let email: Email? =
            if welcome.replacesHiddenAddress, canHideEmail {
                .hiddenAnew
            } else if existing?.hidesEmail == true {
                welcome.hiddenAddress.map { .hidden($0.address) }
            } else {
                person.email.map { .own($0) }
            }
        self.init(
            name: told.contains(.name) ? name : nil,
            userName: told.contains(.name) && manners.tellsUserNames && welcome.organization != nil
                ? person.userName : nil,
            email: told.contains(.email) ? email : nil, welcome.standing)
    }
}
