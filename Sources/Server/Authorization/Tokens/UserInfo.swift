import Directory
import Foundation
import Storage

/// What the bearer of an access token may know at present about the person who signed in. OpenID Connect Core §5.3.
package struct UserInfo: Sendable {
    package let sub: String
    package let name: String?
    package let givenName: String?
    package let familyName: String?
    package let preferredUserName: String?
    /// Seconds since 1970.
    package let updatedAt: Int?
    package let locale: String?
    package let email: String?
    package let emailVerified: Bool?
    package let isPrivateEmail: Bool?
    package let orgID: String?
    /// In the words of the Roster API.
    package let roles: [String]?
    package let grade: String?
}

/// Answers requests for user info, by the bearer tokens of standard clients.
package struct UserInfoService: Sendable {
    private let database: any Database
    private let sealer: AccessTokenSealer
    private let teamIdentifiers: TeamIdentifiers
    private let now: @Sendable () -> Date

    package init(
        database: any Database, keys: ServerKeys, teamIdentifiers: TeamIdentifiers, now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        sealer = AccessTokenSealer(keys.accessTokens)
        self.teamIdentifiers = teamIdentifiers
        self.now = now
    }

    /// - Throws: ``OAuthError`` `invalid_token`
    package func find(bearerToken: String) async throws -> UserInfo {
        let now = now()
        guard let token = sealer.open(bearerToken), now < token.expiresAt else {
            throw OAuthError.telling(.invalidToken, "the access token is not one of ours, or has expired")
        }
        let entitlement = try await database.read { transaction in
            guard let grant = try Grant.find(token.grantID, in: transaction), grant.profile == .standard,
                let client = try App.find(clientID: grant.clientID, in: transaction)
            else { throw OAuthError.telling(.invalidToken, "the access token is not for this endpoint") }
            do {
                return try Entitlement(grant, of: client, at: now, in: transaction)
            } catch let error as OAuthError {
                throw OAuthError(.invalidToken, error.reason, description: "what the access token rests on is over")
            }
        }
        guard let shared = entitlement.claims else {
            throw OAuthError.telling(.invalidToken, "the access token is not a person's")
        }
        let person = entitlement.person
        let told = ToldClaims(
            entitlement.grant.scopes.subtracting(token.withheld),
            entitlement.grant.claims.without(token.withheld).inUserInfo,
            allowed: shared.scopes)
        let profile = ProfileClaims(of: shared, told)
        let hasEmail = shared.email != nil
        let identifiers = try await teamIdentifiers.of(entitlement.app.teamID)
        return UserInfo(
            sub: identifiers.text(of: person.id, in: person.organizationID), name: profile.name,
            givenName: profile.givenName, familyName: profile.familyName,
            preferredUserName: profile.preferredUserName, updatedAt: profile.updatedAt, locale: profile.locale,
            email: told.contains(.email) ? shared.email : nil,
            emailVerified: hasEmail && told.contains(.emailVerified) ? shared.isEmailVerified : nil,
            isPrivateEmail: shared.isPrivateEmail && told.contains(.isPrivateEmail) ? true : nil, orgID: profile.orgID,
            roles: profile.roles, grade: profile.grade)
    }
}
