import Crypto
import Directory
import Foundation
import Storage

/// The token and revocation endpoints of all profiles: redeems codes, refreshes, revokes. RFC 6749 §4.1.3 and §6,
/// RFC 7009, RFC 8628 §3.4.
package struct TokenService: Sendable {
    private let database: any Database
    private let authenticator: ClientAuthenticator
    private let keys: ServerKeys
    private let teamIdentifiers: TeamIdentifiers
    private let issuers: Issuers
    private let flagsAsText: Bool
    private let surroundings: Surroundings
    private let sealer: AccessTokenSealer

    /// `iss` of the tokens of each profile.
    package struct Issuers: Sendable {
        let compatible: String
        let standard: String

        package init(compatible: String, standard: String) {
            self.compatible = compatible
            self.standard = standard
        }

        func of(_ profile: Profile) -> String { profile == .standard ? standard : compatible }
    }

    /// - Parameter flagsAsText: writes truths in identity tokens as "true" and "false", as it was until 2024.
    package init(
        database: any Database, authenticator: ClientAuthenticator, keys: ServerKeys, teamIdentifiers: TeamIdentifiers,
        issuers: Issuers, flagsAsText: Bool = false, surroundings: Surroundings
    ) {
        self.database = database
        self.authenticator = authenticator
        self.keys = keys
        self.teamIdentifiers = teamIdentifiers
        self.issuers = issuers
        self.flagsAsText = flagsAsText
        self.surroundings = surroundings
        sealer = AccessTokenSealer(keys.accessTokens)
    }

    package struct Answer: Sendable {
        package let accessToken: String
        /// Seconds.
        package let expiresIn: Int
        /// Only where there is a new one.
        package let refreshToken: String?
        package let identityToken: String
        package let scopes: ScopeSet
    }

    // The descriptions that clients of the compatible profile know. sign-in.md 2.4.
    static let spentCode = "The code has already been used."
    static let expiredCode = "The code has expired or has been revoked."
    static let expiredRefreshToken = "The refresh token has expired or has been revoked."

    // MARK: Redeeming a code

    package struct Redemption: Sendable {
        let code: String
        let redirectURI: String?
        let codeVerifier: String?

        package init(code: String, redirectURI: String?, codeVerifier: String?) {
            self.code = code
            self.redirectURI = redirectURI
            self.codeVerifier = codeVerifier
        }
    }

    /// - Throws: ``OAuthError`` `invalid_grant` if the code is unknown, spent, expired or another client's. On the wire
    ///   a roster app gets one answer for all, so that guessing teaches nothing; `invalid_client` if the redirect URI
    ///   is not the one of the request: unusual, but what the service that we are compatible with says there.
    package func redeem(
        _ redemption: Redemption, _ profile: Profile, client credentials: ClientAuthenticator.Credentials,
        origin: Origin
    ) async throws -> Answer {
        let now = surroundings.now()
        let refreshToken = RefreshToken(from: surroundings)
        let authenticator = authenticator
        let outcome = try await database.write { transaction -> Result<(Entitlement, AuthorizationCode), OAuthError> in
            let client = try authenticator.authenticate(credentials, in: transaction)
            guard let found = try AuthorizationCode.find(redemption.code, in: transaction), found.profile == profile
            else { return .failure(OAuthError(.invalidGrant, "the code is unknown", description: Self.expiredCode)) }
            if let refusal = try Self.refusal(of: found, redemption, client, in: transaction) {
                return .failure(refusal)
            }
            // The code is spent before anything is signed: should signing fail, the person is asked again, and
            // nobody can try the same code a second time.
            if found.redeemedAt != nil {
                // RFC 6749 §4.1.2: a second use means that somebody else has seen the code.
                if let grant = found.grantID { _ = try Grant.revoke(grant, at: now, in: transaction) }
                try AuditEntry(
                    .codeReplayed, by: .client(client.clientID), on: "app:\(client.app.id.rawValue)", outcome: .refused,
                    from: origin
                ).append(to: Self.chain(of: found, in: transaction), at: now, in: transaction)
                return .failure(
                    OAuthError(
                        .invalidGrant, "the code was used before; what it gave is revoked",
                        description: Self.spentCode))
            }
            guard now < found.expiresAt else {
                return .failure(OAuthError(.invalidGrant, "the code has expired", description: Self.expiredCode))
            }
            let grant = try Grant.insert(
                profile, on: found.basis, clientID: found.clientID, person: found.personID, scopes: found.scopes,
                refreshToken: profile.givesRefreshToken(for: found.scopes) ? refreshToken : nil,
                authenticatedAt: found.authenticatedAt, at: now,
                in: transaction)
            let entitlement: Entitlement
            do {
                entitlement = try Entitlement(grant, of: client.app, in: transaction)
            } catch let error as OAuthError {
                throw OAuthError(error.code, error.reason, description: Self.expiredCode)
            }
            // Thrown, not returned: the grant must not stay.
            guard try found.redeem(for: grant.id, at: now, in: transaction) else {
                throw OAuthError(
                    .invalidGrant, "the code was used at the same moment", description: Self.spentCode)
            }
            try AuditEntry(
                .tokenIssued, by: .client(client.clientID), on: "app:\(client.app.id.rawValue)", outcome: .done,
                detail: found.scopes.text, from: origin
            ).append(to: entitlement.organization?.id, at: now, in: transaction)
            return .success((entitlement, found))
        }
        let (entitlement, found) = try outcome.get()
        return try await answer(
            for: entitlement, nonce: found.nonce,
            refreshToken: profile.givesRefreshToken(for: found.scopes) ? refreshToken.text : nil,
            realUserStatus: entitlement.claims?.realUserStatus(for: found.requestHash, to: found.redirectURI), at: now)
    }

    /// Why the client may not have what the code stands for; nil if it may.
    private static func refusal(
        of found: AuthorizationCode, _ redemption: Redemption, _ client: ClientAuthenticator.Client,
        in transaction: some Transaction
    ) throws -> OAuthError? {
        guard found.clientID == client.clientID else {
            return OAuthError(
                .invalidGrant, "the code belongs to another client",
                description: "client_id mismatch. The code was not issued to \(client.clientID).")
        }
        // The server of a native app exchanges the code, and knows nothing of the address that the program had.
        let isNative = found.profile == .compatible && ReturnURL.isNative(found.redirectURI)
        guard found.redirectURI == redemption.redirectURI || isNative && redemption.redirectURI == nil else {
            return OAuthError(
                found.profile == .roster ? .invalidClient : .invalidGrant,
                "redirect_uri is not the one of the authorization request",
                description:
                    "redirect_uri mismatch. The code was not issued to \(redemption.redirectURI?.prefix(2_048) ?? "").")
        }
        if let challenge = found.codeChallenge {
            guard let verifier = redemption.codeVerifier, Self.challenge(of: verifier) == challenge else {
                return .telling(.invalidGrant, "code_verifier does not fit the code_challenge")
            }
        } else if redemption.codeVerifier != nil {
            // RFC 9700 §4.8.2: somebody has taken the challenge out of the authorization request.
            return .telling(.invalidGrant, "code_verifier without a code_challenge before it")
        }
        if case .organization(let id) = found.basis,
            try Consent.find(id, in: transaction)?.revokedAt != nil
        {
            return OAuthError(.invalidGrant, "the consent was revoked")
        }
        return nil
    }

    /// Whose audit trail tells of a code.
    private static func chain(
        of code: AuthorizationCode, in transaction: some Transaction
    ) throws -> OrganizationID? {
        switch code.basis {
        case .organization(let id): try Consent.find(id, in: transaction)?.organizationID
        case .person: try Person.find(code.personID, in: transaction)?.organizationID
        }
    }

    private static func challenge(of verifier: String) -> String {
        Data(SHA256.hash(data: Data(verifier.utf8))).base64URLEncoded
    }

    // MARK: Refreshing

    /// In the standard profile the refresh token is exchanged for another one; else nothing is written.
    /// - Throws: ``OAuthError`` `invalid_grant`; in the standard profile a token that was exchanged before ends the
    ///   grant, since somebody else has it (RFC 9700 §4.14.2).
    package func refresh(
        _ refreshToken: String, _ profile: Profile, scope: String? = nil,
        client credentials: ClientAuthenticator.Credentials, origin: Origin
    ) async throws -> Answer {
        profile == .standard
            ? try await rotate(refreshToken, scope: scope, client: credentials, origin: origin)
            : try await check(refreshToken, profile, client: credentials)
    }

    private func check(
        _ refreshToken: String, _ profile: Profile, client credentials: ClientAuthenticator.Credentials
    ) async throws -> Answer {
        let now = surroundings.now()
        let authenticator = authenticator
        let entitlement = try await database.read { transaction in
            let client = try authenticator.authenticate(credentials, in: transaction)
            let grant = try Self.grant(
                try Grant.find(refreshToken: refreshToken, in: transaction), profile, of: client)
            return try Entitlement(grant, of: client.app, in: transaction)
        }
        return try await answer(for: entitlement, nonce: nil, refreshToken: nil, at: now)
    }

    private func rotate(
        _ refreshToken: String, scope: String?, client credentials: ClientAuthenticator.Credentials, origin: Origin
    ) async throws -> Answer {
        let now = surroundings.now()
        let authenticator = authenticator
        let next = RefreshToken(from: surroundings)
        let outcome = try await database.write { transaction -> Result<Entitlement, OAuthError> in
            let client = try authenticator.authenticate(credentials, in: transaction)
            if let robbed = try Grant.find(spentRefreshToken: refreshToken, in: transaction),
                robbed.clientID == client.clientID
            {
                return .failure(try Self.end(robbed, at: now, by: client, from: origin, in: transaction))
            }
            let grant = try Self.grant(
                try Grant.find(refreshToken: refreshToken, in: transaction), .standard, of: client)
            // RFC 6749 §6: never more than before. Less is taken as no wish: the answer says what was given.
            if let scope,
                try !AuthorizationRequest.standardScopes("openid \(scope)", of: client.app)
                    .isSubset(of: grant.scopes.union(ScopeSet([.openID])))
            {
                throw OAuthError.telling(.invalidScope, "scope is more than was granted")
            }
            let entitlement = try Entitlement(grant, of: client.app, in: transaction)
            guard try grant.rotate(refreshToken, to: next, at: now, in: transaction) else {
                return .failure(try Self.end(grant, at: now, by: client, from: origin, in: transaction))
            }
            return .success(entitlement)
        }
        return try await answer(for: try outcome.get(), nonce: nil, refreshToken: next.text, at: now)
    }

    /// Ends a grant whose refresh token was shown twice, at the same moment or later: nobody can tell who of the two is
    /// the thief.
    private static func end(
        _ robbed: Grant, at now: Date, by client: ClientAuthenticator.Client, from origin: Origin,
        in transaction: WriteTransaction
    ) throws -> OAuthError {
        _ = try Grant.revoke(robbed.id, at: now, in: transaction)
        let person = try Person.find(robbed.personID, in: transaction)
        try AuditEntry(
            .refreshTokenReplayed, by: .client(client.clientID), on: "app:\(client.app.id.rawValue)", outcome: .refused,
            from: origin
        ).append(to: person?.organizationID, at: now, in: transaction)
        return .telling(.invalidGrant, "the refresh token was used before; everything that it gave is revoked")
    }

    private static func grant(
        _ found: Grant?, _ profile: Profile, of client: ClientAuthenticator.Client
    ) throws -> Grant {
        guard let found, found.profile == profile else {
            throw OAuthError(.invalidGrant, "the refresh token is unknown", description: expiredRefreshToken)
        }
        guard found.clientID == client.clientID else {
            throw OAuthError(
                .invalidGrant, "the refresh token belongs to another client",
                description: "client_id mismatch. The refresh token was not issued to \(client.clientID).")
        }
        return found
    }

    // MARK: Devices

    /// Tokens for a device whose person has decided. RFC 8628 §3.4.
    /// - Throws: ``OAuthError`` `authorization_pending`, `slow_down`, `access_denied`, `expired_token`
    package func redeem(
        deviceCode: String, client credentials: ClientAuthenticator.Credentials, origin: Origin
    ) async throws -> Answer {
        let now = surroundings.now()
        let refreshToken = RefreshToken(from: surroundings)
        let authenticator = authenticator
        let outcome = try await database.write { transaction -> Result<(Entitlement, String?), OAuthError> in
            let client = try authenticator.authenticate(credentials, in: transaction)
            guard let device = try DeviceAuthorization.find(deviceCode: deviceCode, in: transaction),
                device.clientID == client.clientID
            else { return .failure(.telling(.invalidGrant, "the device code is unknown")) }
            guard now < device.expiresAt else {
                return .failure(.telling(.expiredToken, "the device code has expired"))
            }
            guard try device.noteQuestion(at: now, in: transaction) else {
                return .failure(.telling(.slowDown, "wait longer before asking again"))
            }
            switch device.answer {
            case nil: return .failure(.telling(.authorizationPending, "the person has not decided yet"))
            case .denied: return .failure(.telling(.accessDenied, "the person said no"))
            case .allowed: break
            }
            guard let consent = device.consentID, let person = device.personID, let since = device.authenticatedAt,
                try device.take(in: transaction)
            else { return .failure(.telling(.invalidGrant, "the device code was used before")) }
            let grant = try Grant.insert(
                .standard, on: .person(consent), clientID: client.clientID, person: person, scopes: device.scopes,
                refreshToken: Profile.standard.givesRefreshToken(for: device.scopes) ? refreshToken : nil,
                authenticatedAt: since,
                at: now, in: transaction)
            let entitlement = try Entitlement(grant, of: client.app, in: transaction)
            try AuditEntry(
                .tokenIssued, by: .client(client.clientID), on: "app:\(client.app.id.rawValue)", outcome: .done,
                detail: "device, \(device.scopes.text)", from: origin
            ).append(to: entitlement.organization?.id, at: now, in: transaction)
            return .success((entitlement, device.nonce))
        }
        let (entitlement, nonce) = try outcome.get()
        return try await answer(
            for: entitlement, nonce: nonce,
            refreshToken: Profile.standard.givesRefreshToken(for: entitlement.grant.scopes) ? refreshToken.text : nil,
            at: now)
    }

    // MARK: Apps

    /// An access token of the app itself, good for ``UserMigration`` alone.
    package func appToken(client credentials: ClientAuthenticator.Credentials) async throws -> String {
        let authenticator = authenticator
        let client = try await database.read { try authenticator.authenticate(credentials, in: $0) }
        return sealer.seal(
            AccessToken(app: client.app.id, expiresAt: surroundings.now().addingTimeInterval(AccessToken.lifetime)))
    }

    // MARK: Answering

    private func answer(
        for entitlement: Entitlement, nonce: String?, refreshToken: String?, realUserStatus: Int? = nil, at now: Date
    ) async throws -> Answer {
        let grant = entitlement.grant
        let accessToken = sealer.seal(
            AccessToken(grantID: grant.id, expiresAt: now.addingTimeInterval(AccessToken.lifetime)))
        var claims = try await claims(
            of: entitlement.person, in: entitlement.organization, entitlement.claims, app: entitlement.app,
            clientID: grant.clientID, profile: grant.profile, scopes: grant.scopes, nonce: nonce,
            authenticatedAt: grant.authenticatedAt, at: now)
        claims.atHash = IdentityTokenClaims.hash(of: accessToken)
        if grant.profile == .compatible { claims.realUserStatus = realUserStatus }
        return Answer(
            accessToken: accessToken, expiresIn: Int(AccessToken.lifetime), refreshToken: refreshToken,
            identityToken: try await keys.signing.current().sign(claims), scopes: grant.scopes)
    }

    /// The identity token that travels with a code to the app's page.
    func identityToken(
        of person: PersonClaims, for parked: ParkedRequest, code: String, app: App, authenticatedAt: Date
    ) async throws -> String {
        let request = parked.request
        var claims = try await claims(
            of: person.person, in: person.organization, person, app: app, clientID: request.clientID,
            profile: request.profile, scopes: request.scopes, nonce: request.nonce, authenticatedAt: authenticatedAt,
            at: surroundings.now())
        claims.cHash = IdentityTokenClaims.hash(of: code)
        claims.realUserStatus = person.realUserStatus(for: parked.tokenHash, to: request.redirectURI)
        return try await keys.signing.current().sign(claims)
    }

    private func claims(
        of person: Person, in organization: Organization?, _ shared: PersonClaims?, app: App, clientID: String,
        profile: Profile, scopes: ScopeSet, nonce: String?, authenticatedAt: Date, at now: Date
    ) async throws -> IdentityTokenClaims {
        let identifiers = try await teamIdentifiers.of(app.teamID)
        let issuedAt = Int(now.timeIntervalSince1970)
        var claims = IdentityTokenClaims(
            iss: issuers.of(profile), aud: clientID, sub: identifiers.text(of: person.id, in: person.organizationID),
            iat: issuedAt, exp: issuedAt + IdentityTokenClaims.lifetime(profile),
            authTime: Int(authenticatedAt.timeIntervalSince1970), nonce: nonce,
            nonceSupported: profile == .standard ? nil : true, orgID: organization?.publicID)
        guard let shared else { return claims }
        // What was shared once stands in every later token too, whatever that request asked for. A standard client
        // gets what it asks for each time.
        let told = profile == .compatible ? shared.consent.scopes : scopes.intersection(shared.consent.scopes)
        let asText = flagsAsText && profile == .compatible
        if told.contains(.email), let email = shared.email {
            claims.email = email
            // Nobody has shown the server that the person of a managed account reads what is sent there.
            claims.emailVerified = Flag(isTrue: organization == nil, asText: asText)
            if shared.isPrivateEmail { claims.isPrivateEmail = Flag(isTrue: true, asText: asText) }
        }
        switch profile {
        case .roster: break
        case .compatible:
            claims.scopes = shared.rosterScopes?.text
            if let transfer = shared.transfer, transfer.isOpen(at: now) {
                claims.transferSub = try await teamIdentifiers.of(transfer.from).transfer(to: transfer.toPublicID)
                    .text(of: person.id, in: person.organizationID)
            }
        case .standard:
            claims.acr = AuthenticationContext.password
            claims.amr = AuthenticationContext.methods
            if told.contains(.name) {
                claims.name = Person.fullName(givenName: shared.givenName, familyName: shared.familyName)
                claims.givenName = shared.givenName
                claims.familyName = shared.familyName
            }
        }
        return claims
    }

    // MARK: Revoking

    /// Ends the grant behind an access or refresh token. A token that is unknown, another client's or revoked
    /// before changes nothing and is no error. RFC 7009 §2.2.
    ///
    /// In the compatible profile that ends the person's use of the app as a whole: the next sign-in is a first one.
    package func revoke(
        _ token: String, _ profile: Profile, client credentials: ClientAuthenticator.Credentials, origin: Origin
    ) async throws {
        let now = surroundings.now()
        let accessToken = sealer.open(token)
        let (authenticator, surroundings) = (authenticator, surroundings)
        try await database.write { transaction in
            let client = try authenticator.authenticate(credentials, in: transaction)
            let grant =
                if let accessToken {
                    try Grant.find(accessToken.grantID, in: transaction)
                } else {
                    try Grant.find(refreshToken: token, in: transaction)
                        ?? Grant.find(spentRefreshToken: token, in: transaction)
                }
            guard let grant, grant.clientID == client.clientID, grant.profile == profile, grant.revokedAt == nil
            else { return }
            let organization: OrganizationID?
            switch grant.basis {
            case .organization(let id): organization = try Consent.find(id, in: transaction)?.organizationID
            case .person: organization = try Person.find(grant.personID, in: transaction)?.organizationID
            }
            if case .person(let id) = grant.basis, profile == .compatible {
                try SignInConsent.find(id, in: transaction)?.end(
                    .app, by: .client(client.clientID), from: origin, at: now, surroundings: surroundings,
                    in: transaction)
            } else {
                _ = try Grant.revoke(grant.id, at: now, in: transaction)
            }
            try AuditEntry(
                .tokenRevoked, by: .client(client.clientID), on: "app:\(client.app.id.rawValue)", outcome: .done,
                from: origin
            ).append(to: organization, at: now, in: transaction)
        }
    }
}
