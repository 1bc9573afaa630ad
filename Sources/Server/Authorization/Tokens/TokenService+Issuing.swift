import Directory
import Foundation
import Ground
import Storage

extension TokenService {
    /// What a client was allowed, before tokens are issued for it.
    struct Allowed {
        let profile: Profile
        let basis: GrantBasis
        let person: PersonID
        let scopes: ScopeSet
        let authenticatedAt: Date
        let version: SignInVersion
        let device: RegisteredDeviceID?
        let methods: SignInMethods
        /// The browser session in which it was allowed; nil for devices without a browser, and in other profiles.
        let session: SecretHash?
        let claims: RequestedClaims

        init(
            _ profile: Profile, on basis: GrantBasis, by person: PersonID, scopes: ScopeSet, authenticatedAt: Date,
            version: SignInVersion, device: RegisteredDeviceID?, methods: SignInMethods, session: SecretHash? = nil,
            claims: RequestedClaims = .none
        ) {
            self.profile = profile
            self.basis = basis
            self.person = person
            self.scopes = scopes
            self.authenticatedAt = authenticatedAt
            self.version = version
            self.device = device
            self.methods = methods
            self.session = session
            self.claims = claims
        }
    }

    struct Issued: Sendable {
        let entitlement: Entitlement
        /// The algorithm of the identity token.
        let signingAlgorithm: SigningAlgorithm
        /// Nil if the grant has none.
        let refreshToken: RefreshToken?
    }

    /// Makes a grant for what was allowed, if it still is, and writes the audit entry.
    /// - Parameter detail: for the audit entry; nil for the scopes.
    /// - Throws: ``OAuthError`` `invalid_grant`. It has to be passed on, so that the grant is rolled back.
    func issue(
        _ allowed: Allowed, to client: ClientAuthenticator.Client, detail: String? = nil, from origin: Origin,
        at now: Date, in transaction: WriteTransaction
    ) throws -> Issued {
        let refreshToken =
            allowed.profile.manners.givesRefreshToken(for: allowed.scopes) ? RefreshToken(from: surroundings) : nil
        let grant = try Grant.insert(
            allowed.profile, on: allowed.basis, clientID: client.clientID, person: allowed.person,
            scopes: allowed.scopes, refreshToken: refreshToken, authenticatedAt: allowed.authenticatedAt,
            version: allowed.version, device: allowed.device, methods: allowed.methods, session: allowed.session,
            claims: allowed.claims, at: now, in: transaction)
        if let session = allowed.session {
            try ClientSession.note(session, of: allowed.person, at: client.clientID, at: now, in: transaction)
        }
        let entitlement: Entitlement
        do {
            entitlement = try Entitlement(grant, of: client.app, at: now, in: transaction)
        } catch let error as OAuthError {
            throw OAuthError(error.code, error.reason, description: Self.expiredCode)
        }
        if let reason = try Self.reasonToRefuse(allowed, entitlement, in: transaction) {
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

    /// Checks what is not checked for existing grants. After a person was signed out of everything, or deactivated, no
    /// code of theirs may become a grant, not even for an organization. And the access rule may have changed since the
    /// consent; for existing grants every roster call checks it.
    /// - Returns: nil if it still counts.
    private static func reasonToRefuse(
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
