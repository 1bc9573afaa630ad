import Foundation
import Ground
import Storage
import Synchronization

/// Signs a person in by a ticket of Kerberos that was found to be right.
///
/// The ticket says who has signed in to the computer, not who sits there now. So the session is like one that a device has
/// begun: apps see the difference in `amr`, and can require the person with `prompt=login` or `max_age`.
package struct KerberosSignIn: Sendable {
    private let database: any Database
    private let surroundings: Surroundings
    private let memory: Memory
    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
        memory = Memory()
    }

    /// A ticket, as the browser has shown it.
    package struct Ticket: Sendable {
        let name: String
        let realm: String
        let issuer: String
        let use: String
        let endsAt: Date

        /// - Parameters:
        ///   - name: what stands before the `@`.
        ///   - issuer: the realm whose key has opened the ticket.
        ///   - use: names the message in which the ticket was shown.
        ///   - endsAt: from when on the ticket does not count any more.
        package init(name: String, realm: String, issuer: String, use: String, endsAt: Date) {
            self.name = name
            self.realm = realm
            self.issuer = issuer
            self.use = use
            self.endsAt = endsAt
        }

        /// For the audit trail, which has no room for names without an end.
        var principal: String { "\(name.prefix(256))@\(realm)" }

        /// Who has made the ticket, and whom it names, in whichever case the name was typed: what another realm writes must not
        /// use up somebody's own sign-ins.
        var source: String { "\(issuer) \(principal.lowercased())" }

        /// By what its refusals are told apart in the trail: the names that another realm writes may be any.
        func source(of refusal: Refusal) -> String { refusal == .otherIssuer ? "\(issuer) \(realm)" : source }
    }

    package enum Outcome: Sendable {
        case signedIn(Person, session: BrowserEntry)
        /// The person has to show a second factor, or to set one up: see ``PendingSignIn``.
        case needsFactor(Secret)
        case organizationClosed(name: String)
        /// There were too many sign-ins by tickets of the same name. `seconds` is 1 or more.
        case mustWait(seconds: Int)
        case refused(Refusal)
    }

    package enum Refusal: String, Error, Sendable, CaseIterable {
        case unknownRealm = "no organization takes tickets of this realm"
        case unknownName = "nobody of the organization has this name"
        case ambiguousName = "several people of the organization have this name"
        case deactivated = "the account is deactivated"
        case used = "the ticket was shown before in the same message"
        case otherIssuer = "the ticket was made by a realm that is not of the same organization"
        case needsPassword = "a ticket is not enough for this account"
    }

    /// How much longer than its ticket a message is remembered, in seconds, because clocks of computers differ. The Kerberos
    /// library takes tickets for five minutes after their end, unless it is told otherwise.
    private static let clockSkew: TimeInterval = 3_600

    /// How many sessions a person has that began by a ticket alone, as many as those of a device; beyond it the oldest end.
    package static let sessionsMax = DeviceSignIn.sessionsMax

    /// - Parameters:
    ///   - token: the token of the session that the browser had; that session ends.
    ///   - browser: the secret of ``KnownBrowser`` that the browser had.
    package func signIn(
        by ticket: Ticket, userAgent: String?, replacing token: String? = nil, knownBrowser browser: String? = nil,
        origin: Origin
    ) async throws -> Outcome {
        let (now, surroundings) = (surroundings.now(), surroundings)
        if let seconds = memory.wait(ticket.source, at: now) { return .mustWait(seconds: seconds) }
        // Asked before the transaction, which may run twice, and noted after it.
        let news = memory.news(ticket, at: now)
        let outcome = try await database.write { transaction -> Outcome in
            guard let (realm, organizationID) = try KerberosRealm.find(ticket.realm, in: transaction),
                let organization = try Organization.find(organizationID, in: transaction)
            else { return .refused(.unknownRealm) }
            // Two schools of one server have their keys in one keytab, and each can write whatever it likes into a ticket.
            let isOwn = try KerberosRealm.find(ticket.issuer, in: transaction)?.organization == organizationID
            let people = isOwn ? try realm.people(called: ticket.name, in: organizationID, transaction) : []
            let person = people.count == 1 ? people[0] : nil
            func note(_ outcome: AuditEntry.Outcome, _ detail: String) throws {
                try AuditEntry(
                    .signIn, by: person.map { .person($0.id) } ?? .system,
                    on: person.map { "person:\($0.id.rawValue)" } ?? "organization:\(organizationID.rawValue)",
                    outcome: outcome, detail: detail, from: origin
                ).append(to: organizationID, at: now, in: transaction)
            }
            func refuse(_ refusal: Refusal) throws -> Outcome {
                // A ticket can be shown as often as somebody likes, and must not fill the trail.
                if news.contains(refusal) {
                    try note(.refused, "by Kerberos as \(ticket.principal): \(refusal.rawValue)")
                }
                return .refused(refusal)
            }
            guard isOwn else { return try refuse(.otherIssuer) }
            let isFirst = try UsedAssertion.note(
                SecretHash(of: "kerberos \(ticket.use)"), until: ticket.endsAt.addingTimeInterval(Self.clockSkew),
                at: now, in: transaction)
            guard isFirst else { return try refuse(.used) }
            guard let person else { return try refuse(people.isEmpty ? .unknownName : .ambiguousName) }
            guard person.state.maySignIn else { return try refuse(.deactivated) }
            guard organization.closing == nil else { return .organizationClosed(name: organization.name) }
            let hasFactor = try !Factors.find(of: person.id, in: transaction).isEmpty
            if try Self.needsPassword(person, hasFactor: hasFactor, by: realm, at: now, in: transaction) {
                return try refuse(.needsPassword)
            }
            try person.activate(in: transaction)
            if hasFactor {
                return .needsFactor(
                    try PendingSignIn.insert(
                        for: person.id, by: .kerberos, at: now, from: surroundings, in: transaction))
            }
            try note(.done, "by Kerberos as \(ticket.principal)")
            let entry = try BrowserEntry.begin(
                for: person.id, by: .kerberos, userAgent: userAgent, replacing: token,
                browser: browser, at: now, from: surroundings, in: transaction)
            // A program that shows tickets and keeps no cookies would begin sessions without an end.
            try BrowserSession.endOldest(
                where: "person_id = $3 AND methods = $4", [person.id, SignInMethods.kerberos], but: entry.session,
                keeping: Self.sessionsMax, in: transaction)
            return .signedIn(person, session: entry)
        }
        if case .refused(let refusal) = outcome { memory.note(ticket, refusal, at: now) }
        return outcome
    }

    /// Whether a ticket is not enough for the account as it is now.
    private static func needsPassword(
        _ person: Person, hasFactor: Bool, by realm: KerberosRealm, at now: Date, in transaction: some Transaction
    ) throws -> Bool {
        // The person may have left the computer unlocked. So a ticket never leads to where a password or a first second
        // factor is chosen, with which somebody could come back from anywhere.
        if try !hasFactor && FactorRule.isDue(for: person, at: now, in: transaction) { return true }
        if try Credential.find(for: person.id, in: transaction)?.temporaryUntil != nil { return true }
        // Numbers and names of the information system come with imports, which must not decide who signs in as an
        // Administrator.
        guard !hasFactor, realm.matching != .userName else { return false }
        return try RoleAssignment.inForce(of: person.id, at: now, in: transaction).contains {
            ![.instructor, .staff, .student].contains($0.role)
        }
    }

    /// How often somebody has signed in by ``Ticket/source``, and which of its refusals stand in the audit trail already. It is held in
    /// memory; with several nodes, each has its own.
    private final class Memory: Sendable {
        private let pace = Mutex(TokenBuckets<String>(TokenBucket.Rate(burst: 20, perSecond: 0.2), max: 10_000))
        /// One refusal of each kind in ten minutes.
        private let told = Mutex(TokenBuckets<String>(TokenBucket.Rate(burst: 1, perSecond: 1.0 / 600), max: 10_000))

        /// Whole seconds to wait if somebody has signed in too often: each time writes a session and an entry of the trail.
        func wait(_ source: String, at now: Date) -> Int? {
            pace.withLock { $0.take(source, at: now) }.map { max(1, Int($0.rounded(.up))) }
        }

        /// The refusals that do not stand there yet.
        func news(_ ticket: Ticket, at now: Date) -> Set<Refusal> {
            told.withLock { told in
                Set(Refusal.allCases.filter { told.remaining(of: "\($0) \(ticket.source(of: $0))", at: now) >= 1 })
            }
        }

        func note(_ ticket: Ticket, _ refusal: Refusal, at now: Date) {
            _ = told.withLock { $0.take("\(refusal) \(ticket.source(of: refusal))", at: now) }
        }
    }
}
