import ExtensionVault
import Ground
import KerberosProfile
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a person types: sign-ins with it, and changes of the password.
extension Desk {
    /// Whether somebody is signing in with what they have typed. Others wait for that, and with a card it takes as long as the
    /// card and the person do, so that a wait is no sign of a network that is gone.
    func isSigningIn(_ realm: String) -> Bool { signingIn.withLock { $0[realm]?.open ?? 0 > 0 } }

    /// How many people's sign-ins have ended, well or not, since the extension was started.
    func signInsEnded(_ realm: String) -> Int { signingIn.withLock { $0[realm]?.ended ?? 0 } }

    /// Gets a ticket with what a person has typed, and saves what is to be kept of it before anybody else has a turn. It is written
    /// before anything is answered: the broker may end the extension as soon as it has the answer.
    /// - Parameter saving: makes what is saved from the ticket and what was saved before.
    func acquire(
        _ principal: String, _ proof: Kerberos.Proof, in caches: TicketCaches,
        saving: @Sendable (_ new: Kerberos.NewTicket, _ before: SavedSignIn?) -> SavedSignIn
    ) async throws -> Ticket {
        let realm = caches.realm
        return try await signIn(to: realm, saving: saving) {
            try await noting(realm) {
                try await blocking { try Kerberos.acquire(principal, proof, in: caches, asksWhy: true) }
            }
        }
    }

    /// The passage of a person's sign-in.
    /// - Parameter acquire: gets the ticket.
    func signIn(
        to realm: String, saving: @Sendable (_ new: Kerberos.NewTicket, _ before: SavedSignIn?) -> SavedSignIn,
        _ acquire: () async throws -> Kerberos.NewTicket
    ) async throws -> Ticket {
        signingIn.withLock { $0[realm, default: (0, 0)].open += 1 }
        defer {
            signingIn.withLock {
                $0[realm]?.open -= 1
                $0[realm]?.ended += 1
            }
        }
        return try await passwords.pass(realm) {
            let new = try await acquire()
            store.write(saving(new, store.read(realm)), for: realm)
            return new.ticket
        }
    }

    /// Changes a person's password, also the saved one, before anybody tries the old one again.
    /// - Throws: ``KerberosFailure``, or ``Kerberos/RefusedPassword``
    func changePassword(of user: UserName, in realm: String, from old: String, to new: String) async throws {
        let (before, after) = (Password(old), Password(new))
        try await passwords.pass(realm) {
            let known = store.read(realm).flatMap { $0.userName == user.text ? $0 : nil }
            // Once the change is sent, nobody knows which password is good until the domain answers. So the saved one is marked
            // before that, and is not tried if the extension is killed meanwhile. Where no server is reached, nothing is sent.
            if var doubtful = known, doubtful.password != nil {
                try await blocking { try Kerberos.reach(realm, as: user.principal) }
                doubtful.triedAt = surroundings.now()
                store.write(doubtful, for: realm)
            }
            do {
                try await blocking { try Kerberos.changePassword(of: user.principal, from: before, to: after) }
            } catch {
                let isAnswered = error is Kerberos.RefusedPassword || (error as? KerberosFailure)?.isAnswer == true
                if let known, isAnswered { store.write(known, for: realm) }
                throw error
            }
            // The directory is asked anew.
            directory.forget(realm)
            guard var saved = known else { return store.removeIfUnreadable(realm) }
            saved.learn(newPassword: new, now: surroundings.now())
            store.write(saved, for: realm)
        }
    }

    /// When the password expires with which somebody has just signed in: as the KDC says, or the directory has said a moment ago.
    func passwordEnd(_ new: Kerberos.NewTicket, _ realm: String) -> Date? {
        if let end = new.passwordExpires { return end }
        let now = surroundings.now()
        return knownFacts(realm, of: new.ticket).flatMap { $0.isFresh(at: now) ? $0.passwordExpires : nil }
    }
}
