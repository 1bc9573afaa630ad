import Crypto
import Directory
import Foundation
import Storage

/// The token and revocation endpoints: redeems codes, refreshes, revokes. RFC 6749 §4.1.3 and §6, RFC 7009.
package struct TokenService: Sendable {
    private let database: any Database
    private let authenticator: ClientAuthenticator
    private let keys: ServerKeys
    private let teamIdentifiers: TeamIdentifiers
    private let issuer: String
    private let surroundings: Surroundings
    private let sealer: AccessTokenSealer

    package init(
        database: any Database, authenticator: ClientAuthenticator, keys: ServerKeys, teamIdentifiers: TeamIdentifiers,
        issuer: String, surroundings: Surroundings
    ) {
        self.database = database
        self.authenticator = authenticator
        self.keys = keys
        self.teamIdentifiers = teamIdentifiers
        self.issuer = issuer
        self.surroundings = surroundings
        sealer = AccessTokenSealer(keys.accessTokens)
    }

    package struct Answer: Sendable {
        package let accessToken: String
        /// Seconds.
        package let expiresIn: Int
        /// Only on a code exchange: a refresh does not rotate it.
        package let refreshToken: String?
        package let identityToken: String
    }

    // MARK: Redeeming a code

    /// - Throws: ``OAuthError`` `invalid_grant` if the code is unknown, spent, expired or another client's: one
    ///   answer for all, so that guessing teaches nothing. `invalid_client` if the redirect URI is not the one of
    ///   the request: unusual, but what the service that we are compatible with says.
    package func redeem(
        code: String, redirectURI: String?, codeVerifier: String?, client credentials: ClientAuthenticator.Credentials,
        origin: Origin
    ) async throws -> Answer {
        let now = surroundings.now()
        let refreshToken = RefreshToken(from: surroundings)
        let authenticator = authenticator
        let outcome = try await database.write { transaction -> Result<(Entitlement, String?), OAuthError> in
            let client = try authenticator.authenticate(credentials, in: transaction)
            guard let found = try AuthorizationCode.find(code, in: transaction) else {
                return .failure(OAuthError(.invalidGrant, "the code is unknown"))
            }
            guard found.clientID == client.clientID else {
                return .failure(OAuthError(.invalidGrant, "the code belongs to another client"))
            }
            guard found.redirectURI == redirectURI else {
                return .failure(OAuthError(.invalidClient, "redirect_uri is not the one of the authorization request"))
            }
            if let challenge = found.codeChallenge {
                guard let codeVerifier, Self.challenge(of: codeVerifier) == challenge else {
                    return .failure(OAuthError(.invalidGrant, "code_verifier does not fit the code_challenge"))
                }
            } else if codeVerifier != nil {
                // RFC 9700 §4.8.2: somebody has taken the challenge out of the authorization request.
                return .failure(OAuthError(.invalidGrant, "code_verifier without a code_challenge before it"))
            }
            guard let consent = try Consent.find(found.consentID, in: transaction), consent.revokedAt == nil else {
                return .failure(OAuthError(.invalidGrant, "the consent was revoked"))
            }
            // The code is spent before anything is signed: should signing fail, the person is asked again, and
            // nobody can try the same code a second time.
            guard try found.redeem(at: now, in: transaction) else {
                guard found.redeemedAt != nil else {
                    return .failure(OAuthError(.invalidGrant, "the code has expired"))
                }
                // RFC 6749 §4.1.2: a second use means that somebody else has seen the code.
                if let grant = found.grantID { _ = try Grant.revoke(grant, at: now, in: transaction) }
                try AuditEntry(
                    .codeReplayed, by: .client(client.clientID), on: "app:\(client.app.id.rawValue)", outcome: .refused,
                    from: origin
                ).append(to: consent.organizationID, at: now, in: transaction)
                return .failure(OAuthError(.invalidGrant, "the code was used before; what it gave is revoked"))
            }
            let grant = try Grant.insert(for: found, refreshToken: refreshToken, at: now, in: transaction)
            try found.note(grant: grant.id, in: transaction)
            try AuditEntry(
                .tokenIssued, by: .client(client.clientID), on: "app:\(client.app.id.rawValue)", outcome: .done,
                detail: found.scopes.text, from: origin
            ).append(to: consent.organizationID, at: now, in: transaction)
            return .success((try Entitlement(grant, of: client, under: consent, in: transaction), found.nonce))
        }
        let (entitlement, nonce) = try outcome.get()
        return try await answer(for: entitlement, nonce: nonce, refreshToken: refreshToken.text, at: now)
    }

    private static func challenge(of verifier: String) -> String {
        Data(SHA256.hash(data: Data(verifier.utf8))).base64URLEncoded
    }

    // MARK: Refreshing

    /// Writes nothing: the refresh token stays as it is.
    /// - Throws: ``OAuthError`` `invalid_grant`
    package func refresh(
        _ refreshToken: String, client credentials: ClientAuthenticator.Credentials
    ) async throws -> Answer {
        let now = surroundings.now()
        let authenticator = authenticator
        let entitlement = try await database.read { transaction in
            let client = try authenticator.authenticate(credentials, in: transaction)
            guard let grant = try Grant.find(refreshToken: refreshToken, in: transaction) else {
                throw OAuthError(.invalidGrant, "the refresh token is unknown")
            }
            guard grant.clientID == client.clientID else {
                throw OAuthError(.invalidGrant, "the refresh token belongs to another client")
            }
            guard grant.revokedAt == nil else { throw OAuthError(.invalidGrant, "the refresh token is revoked") }
            guard let consent = try Consent.find(grant.consentID, in: transaction), consent.revokedAt == nil else {
                throw OAuthError(.invalidGrant, "the consent was revoked")
            }
            return try Entitlement(grant, of: client, under: consent, in: transaction)
        }
        return try await answer(for: entitlement, nonce: nil, refreshToken: nil, at: now)
    }

    // MARK: Answering

    /// A living grant, and whom its tokens speak of: read in the transaction that found it alive.
    private struct Entitlement: Sendable {
        let grant: Grant
        let client: ClientAuthenticator.Client
        let organization: Organization
        let person: Person

        init(
            _ grant: Grant, of client: ClientAuthenticator.Client, under consent: Consent,
            in transaction: some Transaction
        ) throws {
            guard let organization = try Organization.find(consent.organizationID, in: transaction),
                let person = try Person.find(grant.personID, in: transaction)
            else { throw OAuthError(.invalidGrant, "the organization or the person is gone") }
            self.grant = grant
            self.client = client
            self.organization = organization
            self.person = person
        }
    }

    private func answer(
        for entitlement: Entitlement, nonce: String?, refreshToken: String?, at now: Date
    ) async throws -> Answer {
        let (grant, client, person) = (entitlement.grant, entitlement.client, entitlement.person)
        let accessToken = sealer.seal(
            AccessToken(grantID: grant.id, expiresAt: now.addingTimeInterval(AccessToken.lifetime)))
        let identifiers = try await teamIdentifiers.of(client.app.teamID)
        let issuedAt = Int(now.timeIntervalSince1970)
        let identityToken = try keys.signing.sign(
            IdentityTokenClaims(
                iss: issuer, aud: client.clientID, sub: identifiers.text(of: person.id, in: person.organizationID),
                iat: issuedAt, exp: issuedAt + Int(IdentityTokenClaims.lifetime),
                authTime: Int(grant.authenticatedAt.timeIntervalSince1970), nonce: nonce, nonceSupported: true,
                orgID: entitlement.organization.publicID, atHash: IdentityTokenClaims.hash(of: accessToken)))
        return Answer(
            accessToken: accessToken, expiresIn: Int(AccessToken.lifetime), refreshToken: refreshToken,
            identityToken: identityToken)
    }

    // MARK: Revoking

    /// Ends the grant behind an access or refresh token. A token that is unknown, another client's or revoked
    /// before changes nothing and is no error. RFC 7009 §2.2.
    package func revoke(
        _ token: String, client credentials: ClientAuthenticator.Credentials, origin: Origin
    ) async throws {
        let now = surroundings.now()
        let accessToken = sealer.open(token)
        let authenticator = authenticator
        try await database.write { transaction in
            let client = try authenticator.authenticate(credentials, in: transaction)
            let grant =
                if let accessToken {
                    try Grant.find(accessToken.grantID, in: transaction)
                } else {
                    try Grant.find(refreshToken: token, in: transaction)
                }
            guard let grant, grant.clientID == client.clientID,
                let consent = try Consent.find(grant.consentID, in: transaction),
                try Grant.revoke(grant.id, at: now, in: transaction)
            else { return }
            try AuditEntry(
                .tokenRevoked, by: .client(client.clientID), on: "app:\(client.app.id.rawValue)", outcome: .done,
                from: origin
            ).append(to: consent.organizationID, at: now, in: transaction)
        }
    }
}
