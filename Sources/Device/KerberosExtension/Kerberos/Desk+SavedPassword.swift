import ExtensionVault
import Ground
import KerberosProfile
import Synchronization

/// Passwords that people have let be saved. One that is refused is never tried again: whoever tries it time and again has the
/// account locked, and nobody is there to notice it.
extension Desk {
    /// Gets a ticket with the saved password.
    /// - Returns: nil if there is none, or it is refused.
    /// - Throws: ``KerberosFailure`` if nobody has looked at it.
    func ticket(
        withSavedPassword settings: KerberosSettings, _ caches: TicketCaches, _ principal: String?
    ) async throws -> Ticket? {
        try await passwords.pass(settings.realm) {
            try await nextTicket(withSavedPassword: settings, caches, principal)
        }
    }

    private func nextTicket(
        withSavedPassword settings: KerberosSettings, _ caches: TicketCaches, _ principal: String?
    ) async throws -> Ticket? {
        let realm = settings.realm
        guard settings.maySavePassword, let before = store.read(realm),
            let password = before.password.map(Password.init)
        else { return nil }
        guard let name = try? UserName(before.userName, realm: realm).principal,
            principal == nil || principal?.lowercased() == name.lowercased()
        else { return nil }
        guard before.triedAt == nil else {
            store.forgetPassword(of: realm)
            writeToLog(
                "the saved password for \(realm) is forgotten: an attempt with it was cut off, and may have been refused"
            )
            return nil
        }
        // Nobody is cut off who only waits for a network, which takes longest.
        try await noting(realm) { try await blocking { try Kerberos.reach(realm, as: name) } }
        var saved = before
        saved.triedAt = surroundings.now()
        do {
            try store.save(saved, for: realm)
        } catch {
            writeToLog(
                "the saved password for \(realm) is not tried, because a refusal could not be written down: \(error)")
            return nil
        }
        saved.triedAt = nil
        do {
            let new = try await noting(realm) {
                try await blocking { try Kerberos.acquire(name, .password(password), in: caches) }
            }
            saved.learn(passwordExpires: passwordEnd(new, realm), settings, now: surroundings.now())
            store.write(saved, for: realm)
            return new.ticket
        } catch let failure as KerberosFailure where failure.condemnsPassword {
            // It is gone before anybody is answered, so that nobody tries it again and locks the account.
            store.forgetPassword(of: realm)
            writeToLog("the saved password for \(realm) is refused and forgotten: \(failure)")
            return nil
        } catch {
            store.write(saved, for: realm)
            throw error
        }
    }

    /// Deletes the saved password, and waits for whoever uses it just now.
    func forgetPassword(of realm: String) async throws {
        await passwords.pass(realm) { store.forgetPassword(of: realm) }
    }

    /// Deletes a password that was saved before the payload forbade it.
    func deletePasswordIfForbidden(_ settings: KerberosSettings) async {
        let realm = settings.realm
        guard !settings.maySavePassword else {
            withoutPassword.withLock { _ = $0.remove(realm) }
            return
        }
        guard !withoutPassword.withLock({ $0.contains(realm) }), let saved = store.read(realm) else { return }
        if saved.password != nil {
            await passwords.pass(realm) { store.forgetPassword(of: realm) }
            writeToLog("the saved password for \(realm) is deleted, because the profile lets none be saved")
        }
        withoutPassword.withLock { _ = $0.insert(realm) }
    }
}
