import Crypto
import Directory
import Foundation
import Ground
import Storage

/// How apps read the people and classes of an organization. All reads go through one function, which checks rights,
/// limits the rate, reads, and writes the audit entry.
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
        of list: RosterList<Record>, _ parameters: Parameters, bearerToken: String, from origin: Origin
    ) async throws -> RosterReading<RosterPage<Record>> {
        try await read(list.name, where: list.isAllowed, bearerToken: bearerToken, from: origin) {
            access, _, transaction in
            let organization = access.organization.id
            guard try list.exists(organization, transaction) else { throw RosterRefusal.notFound }
            let binding = PageToken.Binding(endpoint: list.endpoint, app: access.app.id, organization: organization)
            let request = try RosterPageRequest(parameters, roles: list.roles) {
                try PageToken.open($0, for: binding, with: pageKey, at: now())
            }
            // One record more than requested, to know whether another page follows.
            let records = try list.read(organization, request, request.limit + 1, transaction)
            let page = cut(records, of: list, to: request, binding)
            return (page, Self.detail(of: page, of: list, request))
        }
    }

    /// One record, after its audit entry is durable.
    /// - Throws: ``RosterRefusal``
    package func record<Value: Sendable>(
        _ record: RosterRecord<Value>, bearerToken: String, from origin: Origin
    ) async throws -> RosterReading<Value> {
        try await read(record.name, where: record.isAllowed, bearerToken: bearerToken, from: origin) {
            access, identifiers, transaction in
            guard let found = try record.find(access.organization, identifiers, transaction) else {
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
    ///   - body: returns what was read, and the detail of the audit entry. It may run twice, like any transaction.
    private func read<Value: Sendable>(
        _ name: String, where isAllowed: @escaping @Sendable (ScopeSet) -> Bool, bearerToken: String,
        from origin: Origin,
        _ body:
            @escaping @Sendable (RosterAccess, PairwiseIdentifiers, ReadTransaction) throws -> (Value, detail: String)
    ) async throws -> RosterReading<Value> {
        let token = try authorizer.open(bearerToken)
        let (authorizer, limiter, teamIdentifiers) = (authorizer, limiter, teamIdentifiers)
        let (access, identifiers, (value, detail)) = try await database.read { transaction in
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
                .rosterRead, by: .client(access.clientID), on: name, outcome: .done, detail: detail, from: origin
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

    private static func detail<Record>(
        of page: RosterPage<Record>, of list: RosterList<Record>, _ request: RosterPageRequest
    ) -> String {
        let records = page.records
        let range = records.first.map { "\(list.id($0))…\(list.id(records[records.count - 1]))" } ?? "none"
        let role = request.role.map { " role \($0.rawValue)" } ?? ""
        return "\(records.count) records, ids \(range)\(role)"
    }
}
