import Storage

/// What standard clients can be told of a person, by the names of OpenID Connect Core §5.1.
package enum Claim: String, Sendable, Hashable, CaseIterable {
    case name
    case givenName = "given_name"
    case familyName = "family_name"
    /// The user name of a managed account. That of a personal one is its email address, which `email` is for.
    case preferredUserName = "preferred_username"
    case updatedAt = "updated_at"
    case locale
    case email
    case emailVerified = "email_verified"
    case isPrivateEmail = "is_private_email"
    case organization = "org_id"

    /// The scope that gives it, §5.4: what a person lets an app have, they let it have by scopes.
    var scope: Scope {
        switch self {
        case .name, .givenName, .familyName, .preferredUserName, .updatedAt, .locale: .name
        case .email, .emailVerified, .isPrivateEmail: .email
        case .organization: .organization
        }
    }
}

/// Single claims that a client asks for beside its scopes, by the place where it wants them. OpenID Connect Core §5.5.
package struct RequestedClaims: Equatable, Sendable {
    package var inIdentityToken: Set<Claim> = []
    package var inUserInfo: Set<Claim> = []

    package static let none = RequestedClaims()

    /// What the person is asked to share for them.
    package var scopes: ScopeSet { ScopeSet(inIdentityToken.union(inUserInfo).map(\.scope)) }

    /// Without what the app is not registered for.
    func limited(to scopes: ScopeSet) -> RequestedClaims {
        RequestedClaims(
            inIdentityToken: inIdentityToken.filter { scopes.contains($0.scope) },
            inUserInfo: inUserInfo.filter { scopes.contains($0.scope) })
    }

    /// Without what belongs to scopes that the client has and leaves out this time. Claims for which it has no scope stay:
    /// it could not name one.
    func without(_ withheld: ScopeSet) -> RequestedClaims {
        limited(to: ScopeSet(Scope.allCases).subtracting(withheld))
    }
}

extension RequestedClaims: SQLConvertible {
    /// `id_token:email userinfo:name`
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

/// What a client is told in one of the two places: by its scopes, and what it asks for besides.
struct ToldClaims: Sendable {
    let scopes: ScopeSet
    let claims: Set<Claim>

    /// - Parameters:
    ///   - scopes: of the grant.
    ///   - claims: that it asks for in this place.
    ///   - allowed: by the person.
    init(_ scopes: ScopeSet, _ claims: Set<Claim>, allowed: ScopeSet) {
        // Who owns an account is no secret that a person keeps or shares.
        let allowed = allowed.union(ScopeSet([.organization]))
        self.scopes = scopes.intersection(allowed)
        self.claims = claims.filter { allowed.contains($0.scope) }
    }

    func contains(_ claim: Claim) -> Bool { scopes.contains(claim.scope) || claims.contains(claim) }
}
