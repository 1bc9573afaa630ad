import Storage

/// The consent that a grant is based on.
package enum GrantBasis: Equatable, Sendable {
    /// An organization shares its roster.
    case organization(ConsentID)
    /// A person signs in.
    case person(SignInConsentID)

    var consentID: ConsentID? {
        if case .organization(let id) = self { id } else { nil }
    }

    var signInConsentID: SignInConsentID? {
        if case .person(let id) = self { id } else { nil }
    }

    /// Reads the two columns, exactly one of which is not null.
    init(consentID: ConsentID?, signInConsentID: SignInConsentID?) throws {
        switch (consentID, signInConsentID) {
        case (let id?, nil): self = .organization(id)
        case (nil, let id?): self = .person(id)
        default: throw DatabaseError.unexpectedValue("neither or both of consent_id and sign_in_consent_id")
        }
    }
}
