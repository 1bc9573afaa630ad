import Crypto
import Directory
import Foundation
import Ground
import Storage

/// How apps read the people and classes of an organization. All reads go through one function, which checks access,
/// limits the rate, checks the scopes, reads, and writes the audit entry.
package struct RosterService: Sendable {
    private let database: any Database
    private let authorizer: RosterAuthorizer
    private let teamIdentifiers: TeamIdentifiers
    private let limiter: RosterRateLimiter
    private let pageKey: SymmetricKey
    private let now: @Sendable () -> Date

    /// - Parameter rate: the rate of requests of one app for one organization's roster.
    package init(
        database: any Database, keys: ServerKeys, teamIdentifiers: TeamIdentifiers, rate: TokenBucket.Rate,
        now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        authorizer = RosterAuthorizer(keys: keys, now: now)
        self.teamIdentifiers = teamIdentifiers
        limiter = RosterRateLimiter(rate, now: now)
        pageKey = keys.pageTokens.key
        self.now = now
    }

    /// One page of a list, after its audit entry is durable.
    /// - Parameter parameters: `limit`, `pageToken` and `role`, as sent by the app.
    /// - Throws: ``RosterRefusal``; ``OAuthError`` `invalid_request` for a parameter that is there twice.
    package func page<Record: Sendable>(
        of list: RosterList<Record>, _ parameters: RequestParameters, bearerToken: String, from origin: Origin
    ) async throws -> RosterReading<RosterPage<Record>> {
        try await read(list.name, where: list.isAllowed, bearerToken: bearerToken, from: origin) {
            access, _, transaction in
            let (page, role) = try find(list, parameters, access.app, access.view, transaction)
            return (page, .page(page.records.map(list.id), of: list, role: role))
        }
    }

    /// The page that the app would get, for people who decide what the app sees. It does not count for the app's rate,
    /// and the caller writes the audit entry.
    /// - Throws: as ``page(of:_:bearerToken:from:)``
    package func preview<Record: Sendable>(
        _ list: RosterList<Record>, _ parameters: RequestParameters, as seer: RosterSeer,
        in transaction: ReadTransaction
    ) throws -> RosterReading<RosterPage<Record>> {
        try seer.require(list.isAllowed)
        let page = try find(list, parameters, seer.app, seer.view, transaction).page
        return RosterReading(
            value: page, organization: seer.view.organization,
            identifiers: try teamIdentifiers.of(seer.app.teamID, in: transaction))
    }

    /// The record that the app would get, in the same way as ``preview(_:_:as:in:)`` gives a page.
    package func preview<Value: Sendable>(
        _ record: RosterRecord<Value>, as seer: RosterSeer, in transaction: ReadTransaction
    ) throws -> RosterReading<Value> {
        try seer.require(record.isAllowed)
        let identifiers = try teamIdentifiers.of(seer.app.teamID, in: transaction)
        guard let found = try record.find(seer.view, identifiers, transaction) else { throw RosterRefusal.notFound }
        return RosterReading(value: found.0, organization: seer.view.organization, identifiers: identifiers)
    }

    private func find<Record: Sendable>(
        _ list: RosterList<Record>, _ parameters: RequestParameters, _ app: App, _ view: RosterView,
        _ transaction: ReadTransaction
    ) throws -> (page: RosterPage<Record>, role: RosterRole?) {
        guard try list.exists(view, transaction) else { throw RosterRefusal.notFound }
        let binding = PageToken.Binding(endpoint: list.endpoint, app: app.id, organization: view.organization.id)
        let request = try RosterPageRequest(parameters, roles: list.roles) {
            try PageToken.open($0, for: binding, with: pageKey, at: now())
        }
        // One record more than requested, to know whether another page follows.
        let records = try list.read(view, request, request.limit + 1, transaction)
        return (cut(records, of: list, to: request, binding), request.role)
    }

    /// One record, after its audit entry is durable.
    /// - Throws: ``RosterRefusal``
    package func record<Value: Sendable>(
        _ record: RosterRecord<Value>, bearerToken: String, from origin: Origin
    ) async throws -> RosterReading<Value> {
        try await read(record.name, where: record.isAllowed, bearerToken: bearerToken, from: origin) {
            access, identifiers, transaction in
            guard let found = try record.find(access.view, identifiers, transaction) else {
                throw RosterRefusal.notFound
            }
            return found
        }
    }

    /// The steps of every roster call around its own query: opens the token; in one snapshot, checks access, limits the
    /// rate and reads; then writes the audit entry.
    ///
    /// These are two transactions on purpose. The first one only reads, so that crawls of many apps run in parallel
    /// with each other and with writers, without waiting for a lock while they collect a thousand records. The second
    /// one is short, and shares its commit with others. Nothing is returned before that commit, so there is no data
    /// without an audit entry. There can be an entry without data, if the connection breaks in between
    /// (docs/decisions/0007-audit-before-answer.md).
    ///
    /// - Parameters:
    ///   - name: what is read, for the audit trail.
    ///   - isAllowed: whether the scopes of the grant are sufficient.
    ///   - body: returns what was read, and what the trail says of it. It may run twice, like any transaction.
    private func read<Value: Sendable>(
        _ name: String, where isAllowed: @escaping @Sendable (ScopeSet) -> Bool, bearerToken: String,
        from origin: Origin,
        _ body:
            @escaping @Sendable (RosterAccess, PairwiseIdentifiers, ReadTransaction) throws -> (Value, RosterTrace)
    ) async throws -> RosterReading<Value> {
        let token = try authorizer.open(bearerToken)
        let (authorizer, limiter, teamIdentifiers) = (authorizer, limiter, teamIdentifiers)
        let (access, identifiers, (value, trace)) = try await database.read { transaction in
            let access = try authorizer.access(with: token, in: transaction)
            try limiter.admit(access)
            guard isAllowed(access.scopes) else {
                throw RosterRefusal.forbidden("the scopes are \(access.scopes.text)")
            }
            let identifiers = try teamIdentifiers.of(access.app.teamID, in: transaction)
            return (access, identifiers, try body(access, identifiers, transaction))
        }
        let now = now()
        try await database.write { transaction in
            try AuditEntry(
                .rosterRead, by: .client(access.clientID), on: name, outcome: .done,
                detail: trace.detail(with: access.scopes), from: origin, mentioning: trace.mentions
            ).append(to: access.organization.id, at: now, in: transaction)
        }
        return RosterReading(value: value, organization: access.organization, identifiers: identifiers)
    }

    private func cut<Record>(
        _ records: [Record], of list: RosterList<Record>, to request: RosterPageRequest, _ binding: PageToken.Binding
    ) -> RosterPage<Record> {
        let shown = Array(records.prefix(request.limit))
        guard records.count > request.limit, let last = shown.last.map(list.id) else {
            return RosterPage(records: shown, next: nil)
        }
        let token = PageToken(
            last: last, role: request.role, expiresAt: now().addingTimeInterval(PageToken.lifetime))
        return RosterPage(records: shown, next: token.seal(for: binding, with: pageKey))
    }
}
