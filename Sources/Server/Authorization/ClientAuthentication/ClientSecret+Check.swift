import Directory
import Foundation
import Ground

extension ClientSecret {
    /// Checks everything but the signature.
    /// - Parameter audiences: the permitted values of a client secret's `aud`; those of an assertion's are in `use`.
    /// - Throws: ``OAuthError`` `invalid_client`
    func check(
        clientID: String, team: Team, as use: ClientAuthenticator.SignedProof, audiences: [String], at now: Date
    ) throws {
        let (now, tolerance) = (now.timeIntervalSince1970, ClientSecretLifetime.tolerance)
        func refuse(_ reason: String) -> OAuthError { OAuthError(.invalidClient, "the client secret's \(reason)") }
        guard claims.sub.isExactly(clientID) else { throw refuse("sub is not the client_id") }
        let lifetime: TimeInterval
        switch use {
        case .clientSecret:
            guard claims.iss.isExactly(team.publicID) else { throw refuse("iss is not the team of the client") }
            try require(in: audiences)
            lifetime = ClientSecretLifetime.secondsMax
        case .assertion(let audiences):
            guard claims.iss.isExactly(clientID) else { throw refuse("iss is not the client_id") }
            try require(in: audiences)
            _ = try claims.requiredID
            lifetime = ClientSecretLifetime.assertionSecondsMax
        }
        guard let issuedAt = claims.iat else { throw refuse("iat is missing") }
        guard claims.exp > now - tolerance else { throw refuse("exp is over") }
        guard claims.exp <= now + lifetime + tolerance else {
            throw refuse("exp is more than \(Int(lifetime)) seconds ahead")
        }
        guard issuedAt <= now + tolerance else { throw refuse("iat lies in the future") }
        if case .assertion = use {
            guard issuedAt >= now - lifetime - tolerance else {
                throw refuse("iat is more than \(Int(lifetime)) seconds ago")
            }
        }
        guard claims.nbf.map({ $0 <= now + tolerance }) ?? true else { throw refuse("nbf lies in the future") }
    }

    /// Requires that the JWT is addressed to this server alone, because any other addressee could present it here. RFC
    /// 7523 §3, item 3.
    private func require(in audiences: [String]) throws {
        guard let only = claims.aud.only, audiences.containsExactly(only) else {
            throw OAuthError(.invalidClient, "the client secret's aud is not this server alone")
        }
    }
}
