import Directory
import Foundation
import Ground
import Storage

extension TokenService {
    /// Issues new tokens for a refresh token. Where ``ProtocolManners/rotatesRefreshTokens`` is set, the refresh token
    /// is exchanged for another one. Otherwise only its use is recorded, once a day.
    /// - Parameter idempotencyKey: if the same token is shown again with the same key, the client did not get the
    ///   answer. It gets another one, until the new refresh token has been used.
    /// - Throws: ``OAuthError`` `invalid_grant`. Where tokens are exchanged, showing a spent one ends the grant, since
    ///   it was stolen (RFC 9700 §4.14.2).
    package func refresh(
        _ refreshToken: String, _ profile: Profile, scope: String? = nil, idempotencyKey: IdempotencyKey? = nil,
        client credentials: ClientAuthenticator.Credentials, origin: Origin
    ) async throws -> Answer {
        profile.manners.rotatesRefreshTokens
            ? try await rotate(
                refreshToken, profile, scope: scope, exchange: idempotencyKey?.hash(with: refreshToken),
                client: credentials,
                origin: origin)
            : try await check(refreshToken, profile, client: credentials)
    }

    private func check(
        _ refreshToken: String, _ profile: Profile, client credentials: ClientAuthenticator.Credentials
    ) async throws -> Answer {
        let now = surroundings.now()
        let (authenticator, refreshTokens) = (authenticator, refreshTokens)
        let (entitlement, algorithm) = try await database.read { transaction in
            let client = try authenticator.authenticate(credentials, in: transaction)
            let grant = try Self.grant(
                try Grant.find(refreshToken: refreshToken, in: transaction), profile, of: client, at: now,
                refreshTokens, in: transaction)
            return (
                try Entitlement(grant, of: client.app, at: now, in: transaction), client.signingAlgorithm(in: profile)
            )
        }
        if entitlement.grant.isUseNews(at: now) {
            try await database.write { try entitlement.grant.noteUse(at: now, in: $0) }
        }
        return try await answer(
            for: entitlement, signedWith: algorithm, nonce: nil, refreshToken: nil, at: now)
    }

    private func rotate(
        _ refreshToken: String, _ profile: Profile, scope: String?, exchange: SecretHash?,
        client credentials: ClientAuthenticator.Credentials, origin: Origin
    ) async throws -> Answer {
        let now = surroundings.now()
        let (authenticator, refreshTokens) = (authenticator, refreshTokens)
        let next = RefreshToken(from: surroundings)
        let exchanged = try await database.decide { transaction -> Verdict<Exchanged, OAuthError> in
            let client = try authenticator.authenticate(credentials, in: transaction)
            let current = try Grant.find(refreshToken: refreshToken, in: transaction)
            let grant = try Self.grant(
                try current ?? Grant.find(spentRefreshToken: refreshToken, in: transaction), profile, of: client,
                at: now, refreshTokens, in: transaction)
            let isExchanged =
                if current != nil {
                    try grant.rotate(refreshToken, to: next, exchange: exchange, at: now, in: transaction)
                } else if let exchange {
                    try grant.rotateAgain(exchange, to: next, at: now, in: transaction)
                } else {
                    false
                }
            guard isExchanged else {
                return .commitRefusal(try Self.end(grant, at: now, by: client, from: origin, in: transaction))
            }
            let withheld = try Self.withheld(of: grant, by: scope, client.app)
            return .commit(
                Exchanged(
                    entitlement: try Entitlement(grant, of: client.app, at: now, in: transaction),
                    signingAlgorithm: client.signingAlgorithm(in: profile), withheld: withheld))
        }
        return try await answer(
            for: exchanged.entitlement, signedWith: exchanged.signingAlgorithm, nonce: nil, refreshToken: next.text,
            withholding: exchanged.withheld, at: now)
    }

    private struct Exchanged: Sendable {
        let entitlement: Entitlement
        let signingAlgorithm: SigningAlgorithm
        let withheld: ScopeSet
    }

    /// The granted scopes that a client leaves out by naming others. It never gets more than was granted, and the next
    /// refresh may ask for everything again. RFC 6749 §6.
    /// - Throws: ``OAuthError`` `invalid_scope`
    private static func withheld(of grant: Grant, by scope: String?, _ app: App) throws -> ScopeSet {
        guard let scope else { return ScopeSet([]) }
        let wanted = try AuthorizationRequest.standardScopes("openid \(scope)", of: app)
        guard wanted.isSubset(of: grant.scopes.union(ScopeSet([.openID]))) else {
            throw OAuthError.telling(.invalidScope, "scope is more than was granted")
        }
        return grant.scopes.intersection(.aboutPerson).subtracting(wanted)
    }

    /// Ends a grant whose refresh token was shown twice, because it is not known which of the two is the thief.
    private static func end(
        _ robbed: Grant, at now: Date, by client: ClientAuthenticator.Client, from origin: Origin,
        in transaction: WriteTransaction
    ) throws -> OAuthError {
        // Recorded once, because anybody could fill the audit trail with the token of a public client.
        if try Grant.revoke(robbed.id, at: now, in: transaction) {
            let person = try Person.find(robbed.personID, in: transaction)
            try AuditEntry(
                .refreshTokenReplayed, by: .client(client.clientID), on: "app:\(client.app.id.rawValue)",
                outcome: .refused, from: origin
            ).append(to: person?.organizationID, at: now, in: transaction)
        }
        return .telling(.invalidGrant, "the refresh token was used before; everything that it gave is revoked")
    }

    private static func grant(
        _ found: Grant?, _ profile: Profile, of client: ClientAuthenticator.Client, at now: Date,
        _ lifetime: RefreshTokenLifetime, in transaction: some Transaction
    ) throws -> Grant {
        guard let found, found.profile == profile else {
            throw OAuthError(.invalidGrant, "the refresh token is unknown", description: expiredRefreshToken)
        }
        guard found.clientID == client.clientID else {
            throw OAuthError(
                .invalidGrant, "the refresh token belongs to another client",
                description: try client.isOfApp(of: found.clientID, in: transaction)
                    ? "client_id mismatch. The refresh token was not issued to \(client.clientID)."
                    : expiredRefreshToken)
        }
        guard !found.isOver(at: now, lifetime) else {
            throw OAuthError(
                .invalidGrant, "the time of the refresh token is over", description: expiredRefreshToken)
        }
        return found
    }
}
