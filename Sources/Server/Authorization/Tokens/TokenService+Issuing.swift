import Directory
import Foundation
import Ground
import Storage

extension TokenService {
    /// What somebody has allowed a client, and has not been turned into tokens yet.
    struct Allowed {
        let profile: Profile
        let basis: GrantBasis
        let person: PersonID
        let scopes: ScopeSet
        let authenticatedAt: Date
        let version: SignInVersion
        let device: RegisteredDeviceID?
        /// In which it was allowed; nil: on a device without a browser, or in another profile.
        let session: SecretHash?
        let claims: RequestedClaims

        init(
            _ profile: Profile, on basis: GrantBasis, by person: PersonID, scopes: ScopeSet, authenticatedAt: Date,
            version: SignInVersion, device: RegisteredDeviceID?, session: SecretHash? = nil,
            claims: RequestedClaims = .none
        ) {
            self.profile = profile
            self.basis = basis
            self.person = person
            self.scopes = scopes
            self.authenticatedAt = authenticatedAt
            self.version = version
            self.device = device
            self.session = session
            self.claims = claims
        }
    }

    struct Issued: Sendable {
        let entitlement: Entitlement
        /// Of the identity token.
        let signingAlgorithm: SigningAlgorithm
        /// Only where there is one.
        let refreshToken: RefreshToken?
    }

    /// Grants what was allowed, if it still may be, and tells the audit trail.
    /// - Parameter detail: for the audit trail; nil: the scopes.
    /// - Throws: ``OAuthError`` `invalid_grant`; to be thrown on, so that the grant does not stay.
    func issue(
        _ allowed: Allowed, to client: ClientAuthenticator.Client, detail: String? = nil, from origin: Origin,
        at now: Date, in transaction: WriteTransaction
    ) throws -> Issued {
        let refreshToken =
            allowed.profile.manners.givesRefreshToken(for: allowed.scopes) ? RefreshToken(from: surroundings) : nil
        let grant = try Grant.insert(
            allowed.profile, on: allowed.basis, clientID: client.clientID, person: allowed.person,
            scopes: allowed.scopes, refreshToken: refreshToken, authenticatedAt: allowed.authenticatedAt,
            version: allowed.version, device: allowed.device, session: allowed.session, claims: allowed.claims,
            at: now, in: transaction)
        if let session = allowed.session {
            try ClientSession.note(session, of: allowed.person, at: client.clientID, at: now, in: transaction)
        }
        let entitlement: Entitlement
        do {
            entitlement = try Entitlement(grant, of: client.app, in: transaction)
        } catch let error as OAuthError {
            throw OAuthError(error.code, error.reason, description: Self.expiredCode)
        }
        if let reason = try Self.isOver(allowed, entitlement, in: transaction) {
            throw OAuthError(.invalidGrant, reason, description: Self.expiredCode)
        }
        try AuditEntry(
            .tokenIssued, by: .client(client.clientID), on: "app:\(client.app.id.rawValue)", outcome: .done,
            detail: detail ?? allowed.scopes.text, from: origin
        ).append(to: entitlement.organization?.id, at: now, in: transaction)
        return Issued(
            entitlement: entitlement, signingAlgorithm: client.signingAlgorithm(in: allowed.profile),
            refreshToken: refreshToken)
    }

    /// What a grant that exists need not fear: whoever was signed out of everything, or deactivated, leaves nothing behind
    /// that could still become one, also where the organization allowed it; and a consent outlives the access rule, which
    /// every roster call asks.
    private static func isOver(
        _ allowed: Allowed, _ entitlement: Entitlement, in transaction: some Transaction
    ) throws -> String? {
        guard entitlement.person.signInVersion == allowed.version else {
            return "who allowed it was signed out of everything since"
        }
        guard case .organization = allowed.basis, let organization = entitlement.organization,
            case .refused(let reason) = try DataSharingAccess.decide(
                app: entitlement.app, organization: organization, in: transaction)
        else { return nil }
        return reason.text
    }
}
