import Storage

/// The claims about a person for standard clients, by the names of OpenID Connect Core §5.1.
package enum Claim: String, Sendable, Hashable, CaseIterable {
    case name
    case givenName = "given_name"
    case familyName = "family_name"
    /// The user name of a managed account. A personal account has its email address as user name, which belongs to
    /// `email`.
    case preferredUserName = "preferred_username"
    case updatedAt = "updated_at"
    case locale
    case email
    case emailVerified = "email_verified"
    case isPrivateEmail = "is_private_email"
    case organization = "org_id"
    case roles
    case grade

    /// The scope that includes the claim (§5.4), because people decide by scopes what they share.
    var scope: Scope {
        switch self {
        case .name, .givenName, .familyName, .preferredUserName, .updatedAt, .locale: .name
        case .email, .emailVerified, .isPrivateEmail: .email
        case .organization: .organization
        case .roles, .grade: .roles
        }
    }

    /// The claims that an app can be told when a person has allowed it some scopes. Which organization owns the account
    /// is always among them, because the person is not asked about that.
    package static func told(with scopes: ScopeSet) -> [Claim] {
        allCases.filter { scopes.contains($0.scope) || $0 == .organization }
    }
}

/// Single claims that a client asks for in addition to its scopes, by the place where it wants them. OpenID Connect
/// Core §5.5.
package struct RequestedClaims: Equatable, Sendable {
    package var inIdentityToken: Set<Claim> = []
    package var inUserInfo: Set<Claim> = []

    package static let none = RequestedClaims()

    /// The scopes that the person is asked for because of the claims.
    package var scopes: ScopeSet { ScopeSet(inIdentityToken.union(inUserInfo).map(\.scope)) }

    /// The same claims, without those of scopes that the app is not registered for.
    func limited(to scopes: ScopeSet) -> RequestedClaims {
        RequestedClaims(
            inIdentityToken: inIdentityToken.filter { scopes.contains($0.scope) },
            inUserInfo: inUserInfo.filter { scopes.contains($0.scope) })
    }

    /// The same claims, without those of scopes that the client has but leaves out this time. Claims for which it has
    /// no scope are kept, because it could not name one.
    func without(_ withheld: ScopeSet) -> RequestedClaims {
        limited(to: ScopeSet(Scope.allCases).subtracting(withheld))
    }
}

extension RequestedClaims: SQLConvertible {
    /// A text such as `id_token:email userinfo:name`.
    package var sqlValue: SQLValue {
        let words =
            inIdentityToken.map { "\(ClaimsParameter.Place.identityToken.rawValue):\($0.rawValue)" }
            + inUserInfo.map { "\(ClaimsParameter.Place.userInfo.rawValue):\($0.rawValue)" }
        return .text(words.sorted().joined(separator: " "))
    }

    package init(column: Column) throws {
        for word in try column.text().split(separator: " ") {
            let parts = word.split(separator: ":").map(String.init)
            guard parts.count == 2, let place = ClaimsParameter.Place(rawValue: parts[0]),
                let claim = Claim(rawValue: parts[1])
            else { throw DatabaseError.unexpectedValue("“\(word)” is no requested claim") }
            switch place {
            case .identityToken: inIdentityToken.insert(claim)
            case .userInfo: inUserInfo.insert(claim)
            }
        }
    }
}

/// What a client is told in one of the two places, because of its scopes and because of single claims.
struct ToldClaims: Sendable {
    let scopes: ScopeSet
    let claims: Set<Claim>

    /// - Parameters:
    ///   - scopes: the scopes of the grant.
    ///   - claims: the claims requested for this place.
    ///   - allowed: what the person has allowed.
    init(_ scopes: ScopeSet, _ claims: Set<Claim>, allowed: ScopeSet) {
        // Which organization owns the account is not for the person to share or to keep secret.
        let allowed = allowed.union(ScopeSet([.organization]))
        self.scopes = scopes.intersection(allowed)
        self.claims = claims.filter { allowed.contains($0.scope) }
    }

    func contains(_ claim: Claim) -> Bool { scopes.contains(claim.scope) || claims.contains(claim) }
}
