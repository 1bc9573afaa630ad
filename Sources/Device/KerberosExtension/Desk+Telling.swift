import Ground
import KerberosProfile
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the broker, the person and their session are told without having asked.
extension Desk {
    /// When the extension wants to be woken for a realm. docs/specifications/extensible-single-sign-on.md, 19.9 and 22.19.
    func wake(_ settings: KerberosSettings, after ticket: Ticket?) -> ExtensionWake {
        let plan = WakePlan(
            ticket: ticket, hasSilentProof: hasSilentProof(settings), settings: settings,
            saved: ticket.flatMap { saved(settings.realm, of: $0) } ?? store.read(settings.realm),
            // After an attempt that was cut off it is tried again as soon as it may be.
            isKeytabRefused: refusedKeytab(settings).map { !$0.isCutOff } ?? false)
        return plan.wake(at: surroundings.now())
    }

    /// Tells the person that their password is about to expire, once in a day.
    func notify(_ settings: KerberosSettings) async {
        let (realm, now) = (settings.realm, surroundings.now())
        guard let saved = store.read(realm), let notice = PasswordNotice(saved, settings, at: now) else { return }
        let words = Words(accepted: nil)
        let title = notice.title(words, realm: realm)
        let text = words(settings.allowPasswordChange ? "expiresHow" : "expiresAsk", ["realm": realm])
        let isShown = try? await blocking { DesktopNotice.show(title, text) }
        guard isShown == true else { return }
        await update(realm) { $0.expiryToldAt = now }
    }

    /// Tells the session that a sign-in or a renewal has ended well and, once a day, that the password expires soon.
    func tellOfSignIn(_ settings: KerberosSettings) async throws {
        try await blocking { [realm = settings.realm] in SessionSignal.connectionCompleted.tell(realm) }
        try await tellOfExpiry(settings)
    }

    /// Tells the session, once a day, that the password expires soon.
    func tellOfExpiry(_ settings: KerberosSettings) async throws {
        let (realm, now) = (settings.realm, surroundings.now())
        // What is saved is held for as long as a sign-in takes. Most of the time there is nothing to tell, and no reason to wait for that.
        guard store.read(realm)?.isToBeSignaled(settings, at: now) == true else { return }
        let expires: Date? = await passwords.pass(realm) {
            guard var saved = store.read(realm), saved.isToBeSignaled(settings, at: now) else { return nil }
            saved.expirySignaledAt = now
            store.write(saved, for: realm)
            return saved.passwordExpiresAt
        }
        if let expires { try await blocking { SessionSignal.passwordExpires.tell(realm, expires) } }
    }
}
