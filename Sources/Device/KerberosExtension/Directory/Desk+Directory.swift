import ExtensionVault
import Ground
import KerberosDomain
import KerberosProfile

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is asked of the directory of a domain.
extension Desk {
    /// What the directory has said of a ticket's owner before.
    func knownFacts(_ realm: String, of ticket: Ticket) -> DirectoryFacts? {
        directory.known(realm).flatMap { $0.principal == ticket.principal ? $0 : nil }
    }

    /// What the directory says of a ticket's owner; asked at most once in an hour, and for a few seconds at most. Nil where the
    /// payload keeps the directory out, there is none, or it does not answer.
    func facts(_ settings: KerberosSettings, of ticket: Ticket) async -> DirectoryFacts? {
        guard !settings.performKerberosOnly, let domain = knownDomain(settings) else { return nil }
        let protection: DirectoryConnection.Protection =
            settings.requireTLSForLDAP ? .tls(authorities: files.authorities(of: settings.realm)) : .kerberos
        let (realm, now) = (settings.realm, surroundings.now())
        let known = knownFacts(realm, of: ticket)
        if let known, known.isFresh(at: now) { return known }
        let controllers = domains.known(realm)?.controllers ?? []
        let watch = Stopwatch()
        let asked = try? await within(Directory.patience) { [self] () async throws -> DirectoryFacts? in
            for (host, address) in await directory.addresses(of: controllers) {
                do {
                    // A thread is given back when the time is over, though a step of the negotiation may take longer: in that the
                    // library asks a KDC for the ticket for this controller.
                    let left = Directory.patience - watch.elapsed
                    return try await blocking {
                        try DirectoryFacts.ask(
                            address, host: host, of: ticket, domain: domain, protectedBy: protection, within: left,
                            now: now)
                    }
                } catch {
                    writeToLog("the directory at \(host) is not read: \(error)")
                }
            }
            return nil
        }
        guard let facts = asked ?? nil else { return known }
        do { try directory.keep(facts, realm) } catch { writeToLog("what the directory says is not kept: \(error)") }
        guard facts.passwordExpires != nil || facts.passwordNeverExpires == true else { return facts }
        if let owner = saved(realm, of: ticket)?.userName {
            await update(realm) { saved in
                guard saved.userName == owner else { return }
                saved.learn(passwordExpires: facts.passwordExpires, settings, now: now)
            }
        }
        return facts
    }
}
