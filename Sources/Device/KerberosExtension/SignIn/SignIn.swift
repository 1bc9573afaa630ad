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

/// Asks a person to sign in to a realm, and to change a password that has expired.
struct SignIn: Sendable {
    let request: ASAuthorizationProviderExtensionAuthorizationRequest
    let desk: Desk
    let settings: KerberosSettings
    let words: Words

    init(request: ASAuthorizationProviderExtensionAuthorizationRequest, desk: Desk, settings: KerberosSettings) {
        self.request = request
        self.desk = desk
        self.settings = settings
        // The headers of a challenge are the server's, and say nothing of the person's language.
        words = Words(accepted: request.isChallenge ? nil : request.httpHeaderFields["Accept-Language"])
    }

    private var realm: String { settings.realm }

    private enum Field {
        static let user = "user"
        static let password = "password"
        static let remember = "remember"
        static let otherMode = "otherMode"
        static let old = "oldPassword"
        static let new = "newPassword"
        static let again = "newPasswordAgain"
    }

    /// Shows the form until somebody has signed in. Whoever waited while another form was shown gets the ticket of that one.
    /// - Returns: nil if the person cancels, also at the form for which this request waited.
    /// - Throws: ``KerberosFailure`` if no KDC answers; `AuthorizationFailure` if nothing may be shown.
    func run() async throws -> Ticket? {
        guard request.isUserInterfaceEnabled else {
            throw AuthorizationFailure(.notInteractive, "Somebody has to sign in to \(realm).")
        }
        // A server has asked for a ticket, or somebody has begun by hand.
        if settings.delayUserSetup { desk.begunSetups.add(realm) }
        return try await desk.withForm(realm) { hasWaited in
            if hasWaited {
                if desk.wasCanceled(realm) { return nil }
                if let ticket = try? await desk.silentTicket(settings) { return ticket }
            }
            try await reach()
            let ticket = try await ask()
            desk.note(isCanceled: ticket == nil, realm)
            return ticket
        }
    }

    /// Nobody is asked for a password that no server can look at.
    private func reach() async throws {
        let principal = desk.fixedPrincipal(settings)
        let realm = realm
        do {
            let isReached: Void? = try await within(.seconds(10)) {
                try await desk.blocking { try Kerberos.reach(realm, as: principal) }
            }
            guard isReached != nil else { throw KerberosFailure(.unreachable, "no KDC of \(realm) answers") }
            desk.note(isUnreachable: false, realm)
        } catch let failure as KerberosFailure where failure.kind == .unreachable {
            desk.note(isUnreachable: true, realm)
            throw failure
        }
    }

    // MARK: The form

    private func ask() async throws -> Ticket? {
        let caches = try await desk.caches(settings)
        let card = settings.allowSmartCard ? desk.files.smartCardModule.map { "PKCS11:\($0)" } : nil
        // With neither there would be no form at all.
        let maySwitch = card != nil && settings.allowPassword
        var isCard = card != nil && (settings.startInSmartCardMode || !settings.allowPassword)
        guard settings.allowPassword || card != nil else {
            throw AuthorizationFailure(
                .failed, "The profile lets nobody sign in with a password, and there is no smart card.")
        }
        var typed =
            settings.principalName ?? request.authorizationOptions["userName"]?.text ?? desk.store.read(realm)?.userName
        var problem: String?
        var warned: Kerberos.CardState = .ready
        while true {
            let form = form(user: typed, isCard: isCard, maySwitch: maySwitch, problem: problem)
            guard let values = try await request.present(form) else { return nil }
            problem = nil
            if let user = values[Field.user] { typed = user }
            if maySwitch, values[Field.otherMode] == "true" {
                isCard.toggle()
                continue
            }
            guard let name = userName(typed, &problem) else { continue }
            guard let secret = values[Field.password], !secret.isEmpty else {
                problem = words(isCard ? "noPIN" : "noPassword")
                continue
            }
            do {
                if isCard, let card {
                    let state = try await desk.blocking { try Kerberos.card(card, for: name.principal) }
                    // A PIN that may lock the card is tried only by somebody who has read so.
                    if let problem = words.problem(state, realm: realm), state != warned {
                        warned = state
                        throw CardProblem(text: problem)
                    }
                    return try await acquire(name, .certificate(card, PIN: Password(secret)), in: caches)
                }
                let ticket = try await acquire(
                    name, .password(Password(secret)), in: caches,
                    password: values[Field.remember] == "true" ? secret : nil)
                await syncLocalPassword(secret)
                return ticket
            } catch let failure as KerberosFailure where failure.kind == .passwordExpired && !isCard {
                switch try await renew(name, old: secret) {
                case .changed(let password):
                    let ticket = try await acquireSoon(
                        name, password, in: caches, isRemembered: values[Field.remember] == "true")
                    await syncLocalPassword(password, from: secret)
                    return ticket
                case .canceled: return nil
                case .problem(let text): problem = text
                }
            } catch let found as CardProblem {
                problem = found.text
            } catch let failure as KerberosFailure {
                writeToLog("\(realm): \(failure)")
                problem = words.problem(failure, realm: realm)
                guard failure.kind == .wrongPIN, let card else { continue }
                let state = try? await desk.blocking { try Kerberos.card(card, for: name.principal) }
                warned = state ?? .ready
                if state == .missing {
                    // It was pulled out after the PIN was wanted, and the library does not tell that from a wrong PIN.
                    problem = words.problem(.missing, realm: realm)
                } else if let more = state.flatMap({ words.problem($0, realm: realm) }) {
                    problem = words.joined(words("wrongPIN"), more)
                } else if settings.identityIssuerAutoSelectFilter != nil {
                    // The card counts no attempt in vain, and the library does not tell the one from the other.
                    problem = words("wrongPINOrIssuer")
                }
            }
        }
    }

    private struct CardProblem: Error { let text: String }

    /// - Returns: nil if the name cannot be used; then `problem` says why.
    private func userName(_ typed: String?, _ problem: inout String?) -> UserName? {
        do throws(UserName.Problem) {
            return try UserName(typed ?? "", realm: realm, isFixed: settings.principalName != nil)
        } catch {
            problem = words(error == .otherRealm ? "otherRealm" : "noUserName", ["realm": realm])
            return nil
        }
    }

    private func form(user: String?, isCard: Bool, maySwitch: Bool, problem: String?) -> PresentationForm {
        var fields: [PresentationForm.Field] = []
        let isFixed = settings.principalName != nil
        if !isFixed {
            fields.append(.init(Field.user, label: settings.customUsernameLabel ?? words("userName"), value: user))
        }
        fields.append(.init(Field.password, label: words(isCard ? "PIN" : "password"), kind: .password))
        if !isCard, settings.maySavePassword {
            fields.append(.init(Field.remember, label: words("remember"), kind: .checkbox))
        }
        if maySwitch {
            fields.append(
                .init(Field.otherMode, label: words(isCard ? "usePassword" : "smartCard"), kind: .checkbox))
        }
        let lines = [isFixed ? user : nil, settings.helpText].compactMap { $0 }
        return PresentationForm(
            title: words("title", ["realm": realm]), text: lines.isEmpty ? nil : lines.joined(separator: "\n"),
            problem: problem, fields: fields, submit: words("signIn"))
    }

    /// Signs somebody in, keeps what is to be kept of it, and tells the session, once for all who have waited.
    /// - Parameter password: what is saved, if the payload lets it be.
    private func acquire(
        _ name: UserName, _ proof: Kerberos.Proof, in caches: TicketCaches, password: String? = nil,
        hasChanged: Bool = false
    ) async throws -> Ticket {
        let kept = settings.maySavePassword ? password : nil
        let isCard = if case .certificate = proof { true } else { false }
        let ticket = try await desk.acquire(name.principal, proof, in: caches) { [desk, settings] new, before in
            let now = desk.surroundings.now()
            var saved = SavedSignIn(
                userName: name.text, principal: new.ticket.principal, password: kept, signedInAt: now)
            let last = before?.userName == name.text ? before : nil
            saved.localPasswordDeclinedAt = last?.localPasswordDeclinedAt
            if hasChanged {
                saved.passwordChangedAt = now
            } else if let last {
                saved.take(endOfPasswordFrom: last)
            }
            let end = desk.passwordEnd(new, settings.realm)
            // A sign-in with a card need not say anything of the password.
            if end != nil || !isCard { saved.learn(passwordExpires: end, settings, now: now) }
            return saved
        }
        try await desk.tellOfSignIn(settings)
        return ticket
    }

    // MARK: A new password

    private enum Renewal {
        case changed(String)
        case canceled
        /// What the form for signing in says then.
        case problem(String)
    }

    /// - Parameter old: what the person has just typed.
    private func renew(_ name: UserName, old: String) async throws -> Renewal {
        guard settings.allowPasswordChange else { return .problem(words("passwordExpiredNoChange")) }
        if let url = settings.pwChangeURL {
            _ = DesktopPage.open(url)
            return .problem(words("passwordExpiredPage", ["url": url]))
        }
        var problem: String? = words("passwordExpired")
        while true {
            guard let values = try await request.present(changeForm(asksForOld: false, user: nil, problem: problem))
            else { return .canceled }
            let (new, again) = (values[Field.new] ?? "", values[Field.again] ?? "")
            problem = try await change(name, old: old, new: new, again: again)
            if problem == nil { return .changed(new) }
        }
    }

    /// Shows the form with which a password is changed that has not expired.
    /// - Returns: false if the person cancels.
    func changePassword() async throws -> Bool {
        try await desk.withForm(realm) { _ in
            try await reach()
            var typed = settings.principalName ?? desk.store.read(realm)?.userName
            var problem: String?
            while true {
                let form = changeForm(asksForOld: true, user: typed, problem: problem)
                guard let values = try await request.present(form) else { return false }
                if let user = values[Field.user] { typed = user }
                guard let name = userName(typed, &problem) else { continue }
                let (old, new) = (values[Field.old] ?? "", values[Field.new] ?? "")
                do {
                    problem = try await change(name, old: old, new: new, again: values[Field.again] ?? "")
                } catch let failure as KerberosFailure {
                    problem = words.problem(failure, realm: realm)
                }
                if problem == nil {
                    await syncLocalPassword(new, from: old)
                    return true
                }
            }
        }
    }

    private func changeForm(asksForOld: Bool, user: String?, problem: String?) -> PresentationForm {
        var fields: [PresentationForm.Field] = []
        if asksForOld {
            if settings.principalName == nil {
                fields.append(.init(Field.user, label: settings.customUsernameLabel ?? words("userName"), value: user))
            }
            fields.append(.init(Field.old, label: words("oldPassword"), kind: .password))
        }
        fields.append(.init(Field.new, label: words("newPassword"), kind: .password))
        fields.append(.init(Field.again, label: words("again"), kind: .password))
        let rules = PasswordRules(settings: settings).said(words)
        return PresentationForm(
            title: words("changeTitle", ["realm": realm]), text: rules.isEmpty ? nil : rules.joined(separator: "\n"),
            problem: problem, fields: fields, submit: words("change"))
    }

    /// - Returns: what is wrong with the new password; nil if it is the person's now.
    private func change(_ name: UserName, old: String, new: String, again: String) async throws -> String? {
        let rules = PasswordRules(settings: settings)
        if let problem = rules.problem(new, again: again, old: old, user: name.text, words) { return problem }
        do {
            try await desk.changePassword(of: name, in: realm, from: old, to: new)
            return nil
        } catch let refused as Kerberos.RefusedPassword {
            return words("refusedPassword", ["realm": realm, "reason": refused.reason])
        }
    }

    /// Signs in with a password that has just been changed. Another KDC may not know it yet, so a refusal is tried once more
    /// after a moment.
    private func acquireSoon(
        _ name: UserName, _ password: String, in caches: TicketCaches, isRemembered: Bool
    ) async throws -> Ticket {
        func acquire() async throws -> Ticket {
            try await self.acquire(
                name, .password(Password(password)), in: caches, password: isRemembered ? password : nil,
                hasChanged: true)
        }
        do {
            return try await acquire()
        } catch let failure as KerberosFailure where failure.kind == .wrongPassword {
            try await Task.sleep(for: .seconds(2))
            return try await acquire()
        }
    }
}
