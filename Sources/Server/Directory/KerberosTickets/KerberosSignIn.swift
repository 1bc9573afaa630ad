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
    private let told: Told

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
        told = Told()
    }

    /// A ticket, as the browser has shown it.
    package struct Ticket: Sendable {
        let name: String
        let realm: String
        let use: String
        let endsAt: Date

        /// - Parameters:
        ///   - name: what stands before the `@`.
        ///   - use: names the message in which the ticket was shown.
        ///   - endsAt: from when on the ticket does not count any more.
        package init(name: String, realm: String, use: String, endsAt: Date) {
            self.name = name
            self.realm = realm
            self.use = use
            self.endsAt = endsAt
        }

        /// For the audit trail, which has no room for names without an end.
        var principal: String { "\(name.prefix(256))@\(realm)" }
    }

    package enum Outcome: Sendable {
        /// Somebody with a temporary password has to choose another one: see ``BrowserSession/mustChangePassword``.
        case signedIn(Person, session: BrowserEntry)
        /// The person has to show a second factor, or to set one up: see ``PendingSignIn``.
        case needsFactor(Secret)
        case organizationClosed(name: String)
        case refused(Refusal)
    }

    package enum Refusal: String, Error, Sendable, CaseIterable {
        case unknownRealm = "no organization takes tickets of this realm"
        case unknownName = "nobody of the organization has this name"
        case ambiguousName = "several people of the organization have this name"
        case deactivated = "the account is deactivated"
        case used = "the ticket was shown before in the same message"
    }

    /// How much longer than its ticket a message is remembered, in seconds, because clocks of computers differ. The Kerberos
    /// library takes tickets for five minutes after their end, unless it is told otherwise.
    private static let clockSkew: TimeInterval = 3_600

    /// - Parameters:
    ///   - token: the token of the session that the browser had; that session ends.
    ///   - browser: the secret of ``KnownBrowser`` that the browser had.
    package func signIn(
        by ticket: Ticket, userAgent: String?, replacing token: String? = nil, knownBrowser browser: String? = nil,
        origin: Origin
    ) async throws -> Outcome {
        let (now, surroundings, told) = (surroundings.now(), surroundings, told)
        return try await database.write { transaction in
            guard let (realm, organizationID) = try KerberosRealm.find(ticket.realm, in: transaction),
                let organization = try Organization.find(organizationID, in: transaction)
            else { return .refused(.unknownRealm) }
            let people = try realm.people(called: ticket.name, in: organizationID, transaction)
            let person = people.count == 1 ? people[0] : nil
            func note(_ outcome: AuditEntry.Outcome, _ detail: String) throws {
                try AuditEntry(
                    .signIn, by: person.map { .person($0.id) } ?? .system,
                    on: person.map { "person:\($0.id.rawValue)" } ?? "organization:\(organizationID.rawValue)",
                    outcome: outcome, detail: detail, from: origin
                ).append(to: organizationID, at: now, in: transaction)
            }
            func refuse(_ refusal: Refusal) throws -> Outcome {
                // Whoever has a ticket can show it as often as they like, and must not fill the trail with it.
                if told.isNews(ticket.principal, refusal, at: now) {
                    try note(.refused, "by Kerberos as \(ticket.principal): \(refusal.rawValue)")
                }
                return .refused(refusal)
            }
            let isFirst = try UsedAssertion.note(
                SecretHash(of: "kerberos \(ticket.use)"), until: ticket.endsAt.addingTimeInterval(Self.clockSkew),
                at: now, in: transaction)
            guard isFirst else { return try refuse(.used) }
            guard let person else { return try refuse(people.isEmpty ? .unknownName : .ambiguousName) }
            guard person.state.maySignIn else { return try refuse(.deactivated) }
            guard organization.closing == nil else { return .organizationClosed(name: organization.name) }
            try person.activate(in: transaction)
            if try PasswordSignIn.needsFactor(person, at: now, in: transaction) {
                return .needsFactor(
                    try PendingSignIn.insert(
                        for: person.id, by: .kerberos, at: now, from: surroundings, in: transaction))
            }
            try note(.done, "by Kerberos as \(ticket.principal)")
            let isTemporary = try Credential.find(for: person.id, in: transaction)?.temporaryUntil != nil
            return .signedIn(
                person,
                session: try BrowserEntry.begin(
                    for: person.id, by: .kerberos, isTemporary: isTemporary, userAgent: userAgent, replacing: token,
                    browser: browser, at: now, from: surroundings, in: transaction))
        }
    }

    /// Which refusals stand in the audit trail already: of each principal one of each kind in ten minutes. It is held in
    /// memory; with several nodes, each has its own.
    private final class Told: Sendable {
        private static let rate = TokenBucket.Rate(burst: 1, perSecond: 1.0 / 600)
        private let buckets = Mutex(TokenBuckets<String>(rate, max: 10_000))

        func isNews(_ principal: String, _ refusal: Refusal, at now: Date) -> Bool {
            buckets.withLock { $0.take("\(refusal) \(principal)", at: now) } == nil
        }
    }
}
