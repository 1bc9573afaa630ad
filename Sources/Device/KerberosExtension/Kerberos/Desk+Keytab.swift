import Ground
import KerberosProfile

/// Tickets for a device that signs in by itself.
extension Desk {
    /// Gets a ticket with the device's keys. One attempt waits for the other, so that a key is refused once and not several times.
    /// - Throws: ``KerberosFailure``, also without asking a KDC that has refused the same key before.
    func keytabTicket(_ path: String, _ owner: String, _ caches: TicketCaches) async throws -> Ticket {
        try await passwords.pass(caches.realm) { try await nextKeytabTicket(path, owner, caches) }
    }

    private func nextKeytabTicket(_ path: String, _ owner: String, _ caches: TicketCaches) async throws -> Ticket {
        let realm = caches.realm
        // Read before it is used: a file that is replaced meanwhile has not been refused.
        let file = RefusedKeytab.Version(path)
        refusedKeytabs.takeCutAttempt(realm)
        let refused = refusedKeytabs.read(realm)
        if let refused, refused.counts(for: file, of: owner, at: surroundings.now()) { throw refused.failure }
        // Nobody is cut off who only waits for a network, which takes longest.
        try await noting(realm) { try await blocking { try Kerberos.reach(realm, as: owner) } }
        if let file {
            refusedKeytabs.begin(RefusedKeytab(file, of: owner, cutOffAt: surroundings.now()), realm)
        }
        defer { refusedKeytabs.end(realm) }
        do {
            let ticket = try await noting(realm) {
                try await blocking { try Kerberos.acquire(owner, .keytab(path), in: caches).ticket }
            }
            if refused != nil { refusedKeytabs.forget(realm) }
            return ticket
        } catch let failure as KerberosFailure where failure.condemnsPassword {
            if let file {
                refusedKeytabs.write(RefusedKeytab(file, of: owner, failure, at: surroundings.now()), realm)
            }
            throw failure
        }
    }

    /// Why the keytab that is there is not tried now; nil if it is, or there is none.
    func refusedKeytab(_ settings: KerberosSettings) -> RefusedKeytab? {
        guard let path = files.keytab(of: settings.realm), let refused = refusedKeytabs.read(settings.realm),
            refused.counts(
                for: RefusedKeytab.Version(path), of: fixedPrincipal(settings), at: surroundings.now())
        else { return nil }
        return refused
    }

    /// - Returns: nil if the keytab has no key of the realm.
    func keytabOwner(_ path: String, _ realm: String, _ principal: String?) async throws -> String? {
        if let principal { return principal }
        return try await blocking { try Kerberos.owner(ofKeytab: path, in: realm) }
    }
}
