import Authorization
import Crypto
import Directory
import Foundation
import HTTPTypes
import Hummingbird
import Storage

/// What every roster call does around its own query: opens the token, counts the call, asks whether the app may read
/// this, reads in the same snapshot, and writes the audit entry before anything is sent.
struct RosterReader: Sendable {
    let database: any Database
    let authorizer: RosterAuthorizer
    let teamIdentifiers: TeamIdentifiers
    let limiter: RateLimiter
    let pageKey: SymmetricKey
    let now: @Sendable () -> Date

    /// What a query returned, and how the audit entry describes it.
    struct Reading<Value: Sendable>: Sendable {
        let value: Value
        let detail: String
    }

    /// What the query gets: the rights of the token, and the ids in which the app's team knows people.
    struct Admission: Sendable {
        let access: RosterAccess
        let identifiers: PairwiseIdentifiers

        var organization: OrganizationID { access.organization.id }
        var writing: RosterWriting { RosterWriting(organization: access.organization, identifiers: identifiers) }
    }

    /// - Parameter isAllowed: whether the scopes are enough. RFC 6750 would say 403 `insufficient_scope`; so do we.
    /// - Throws: ``RosterError``, ``MissingToken``, ``RosterAccess/Refusal``
    func read<Value: Sendable>(
        _ endpoint: String, _ request: Request, _ context: AppContext,
        where isAllowed: @escaping @Sendable (ScopeSet) -> Bool,
        _ body: @escaping @Sendable (Admission, ReadTransaction) throws -> Reading<Value>
    ) async throws -> (Value, Admission) {
        let token = try authorizer.open(Self.bearerToken(of: request))
        let authorizer = authorizer
        let limiter = limiter
        let teamIdentifiers = teamIdentifiers
        let (reading, admission) = try await database.read { transaction in
            let access = try authorizer.access(with: token, in: transaction)
            try limiter.admit(access)
            guard isAllowed(access.scopes) else {
                throw RosterError.forbidden(reason: "the scopes are \(access.scopes.text)")
            }
            let admission = Admission(
                access: access, identifiers: try teamIdentifiers.of(access.app.teamID, in: transaction))
            return (try body(admission, transaction), admission)
        }
        let access = admission.access
        let now = now()
        try await database.write { transaction in
            try AuditEntry(
                .rosterRead, by: .client(access.clientID), on: endpoint, outcome: .done, detail: reading.detail,
                from: .request(context)
            ).append(to: access.organization.id, at: now, in: transaction)
        }
        return (reading.value, admission)
    }

    // MARK: Pages

    func pageRequest(
        _ parameters: Authorization.Parameters, roles: [RosterRole], endpoint: String, access: RosterAccess
    ) throws -> PageRequest {
        try PageRequest(parameters, roles: roles) {
            try PageToken.open($0, for: binding(endpoint, access), with: pageKey, at: now())
        }
    }

    /// The token for the page after `last`.
    func pageToken(
        after last: Int64, role: RosterRole?, endpoint: String, access: RosterAccess
    ) -> String {
        PageToken(last: last, role: role, expiresAt: now().addingTimeInterval(PageToken.lifetime))
            .seal(for: binding(endpoint, access), with: pageKey)
    }

    private func binding(_ endpoint: String, _ access: RosterAccess) -> PageToken.Binding {
        PageToken.Binding(endpoint: endpoint, app: access.app.id, organization: access.organization.id)
    }

    /// RFC 6750 §2.1; the scheme in any case.
    private static func bearerToken(of request: Request) throws -> String {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", omittingEmptySubsequences: true)
        guard parts.first?.lowercased() == "bearer" else { throw MissingToken() }
        guard parts.count == 2 else {
            throw RosterError.unauthorized(reason: "the Authorization header does not hold one token")
        }
        return String(parts[1])
    }
}
