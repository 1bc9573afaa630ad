import Directory
import Foundation
import Ground
import Storage

extension TokenService {
    func answer(
        _ issued: Issued, nonce: String?, realUserStatus: Int? = nil, at now: Date
    ) async throws -> Answer {
        try await answer(
            for: issued.entitlement, signedWith: issued.signingAlgorithm, nonce: nonce,
            refreshToken: issued.refreshToken?.text, realUserStatus: realUserStatus, at: now)
    }

    /// An access token of the app itself, valid for ``UserMigration`` only.
    package func appToken(client credentials: ClientAuthenticator.Credentials) async throws -> String {
        let authenticator = authenticator
        let client = try await database.read { try authenticator.authenticate(credentials, in: $0) }
        return seal(
            AccessToken(app: client.app.id, expiresAt: surroundings.now().addingTimeInterval(AccessToken.lifetime)))
    }

    private func seal(_ token: AccessToken) -> String {
        sealer.seal(token, salt: surroundings.randomBytes(AccessTokenSealer.saltBytes))
    }

    /// - Parameter withheld: the scopes of the grant that are left out this time.
    func answer(
        for entitlement: Entitlement, signedWith algorithm: SigningAlgorithm, nonce: String?, refreshToken: String?,
        realUserStatus: Int? = nil, withholding withheld: ScopeSet = ScopeSet([]), at now: Date
    ) async throws -> Answer {
        let grant = entitlement.grant
        let scopes = grant.scopes.subtracting(withheld)
        let accessToken = seal(
            AccessToken(
                grantID: grant.id, expiresAt: now.addingTimeInterval(AccessToken.lifetime), withheld: withheld))
        var claims = try await claims(
            of: entitlement.person, in: entitlement.organization, entitlement.claims, app: entitlement.app,
            clientID: grant.clientID, profile: grant.profile, scopes: scopes,
            requested: grant.claims.without(withheld).inIdentityToken, nonce: nonce,
            authenticatedAt: grant.authenticatedAt, by: grant.methods, at: now)
        claims.sid = grant.sessionHash.map { ClientSession.sid(of: $0, for: grant.clientID) }
        claims.atHash = IdentityTokenClaims.hash(of: accessToken)
        if grant.profile.manners.tellsRealUserStatus { claims.realUserStatus = realUserStatus }
        return Answer(
            accessToken: accessToken, expiresIn: Int(AccessToken.lifetime), refreshToken: refreshToken,
            identityToken: try await keys.signing.current(algorithm).sign(json: claims.json), scopes: scopes)
    }

    /// The identity token that is sent with a code to the app's page.
    func identityToken(
        of person: PersonClaims, for parked: ParkedRequest, code: String, app: App, in session: BrowserSession
    ) async throws -> String {
        let request = parked.request
        var claims = try await claims(
            of: person.person, in: person.organization, person, app: app, clientID: request.clientID,
            profile: request.profile, scopes: request.scopes, requested: [], nonce: request.nonce,
            authenticatedAt: session.authenticatedAt, by: session.methods, at: surroundings.now())
        claims.cHash = IdentityTokenClaims.hash(of: code)
        claims.realUserStatus = person.realUserStatus(for: parked.tokenHash, to: request.redirectURI)
        // Only the compatible profile has such tokens, and RS256 is its only algorithm.
        return try await keys.signing.current(.rs256).sign(json: claims.json)
    }

    private func claims(
        of person: Person, in organization: Organization?, _ shared: PersonClaims?, app: App, clientID: String,
        profile: Profile, scopes: ScopeSet, requested: Set<Claim>, nonce: String?,
        authenticatedAt: Date, by methods: SignInMethods, at now: Date
    ) async throws -> IdentityTokenClaims {
        let manners = profile.manners
        let identifiers = try await teamIdentifiers.of(app.teamID)
        let issuedAt = Int(now.timeIntervalSince1970)
        var claims = IdentityTokenClaims(
            iss: issuers.of(profile), aud: clientID, sub: identifiers.text(of: person.id, in: person.organizationID),
            iat: issuedAt, exp: issuedAt + manners.identityTokenLifetime,
            authTime: Int(authenticatedAt.timeIntervalSince1970), nonce: nonce,
            nonceSupported: manners.tokensNameOrganization ? true : nil,
            orgID: manners.tokensNameOrganization ? organization?.publicID : nil)
        guard let shared else { return claims }
        let told = ToldClaims(manners.repeatsWhatWasShared ? shared.scopes : scopes, requested, allowed: shared.scopes)
        let asText = flagsAsText && manners.flagsMayBeText
        if let email = shared.email {
            if told.contains(.email) { claims.email = email }
            if told.contains(.emailVerified) {
                claims.emailVerified = Flag(isTrue: shared.isEmailVerified, asText: asText)
            }
            if told.contains(.isPrivateEmail), shared.isPrivateEmail {
                claims.isPrivateEmail = Flag(isTrue: true, asText: asText)
            }
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
            claims.acr = AuthenticationContext(methods).rawValue
            claims.amr = methods.words
            claims.put(ProfileClaims(of: shared, told))
        }
        return claims
    }
}
