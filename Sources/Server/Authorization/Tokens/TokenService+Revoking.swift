import Directory
import Foundation
import Ground
import Storage

extension TokenService {
    /// Ends the grant behind an access or refresh token. A token that is unknown, another client's or revoked
    /// before changes nothing and is no error. RFC 7009 §2.2.
    ///
    /// Where ``ProtocolManners/revocationEndsUse`` is set, this ends the person's use of the app as a whole: the next
    /// sign-in counts as the first one.
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
            if case .person(let id) = grant.basis, profile.manners.revocationEndsUse {
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
