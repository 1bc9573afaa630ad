/// To whom the signed-in account belongs.
package enum AccountKind: Sendable {
    /// To the person.
    case personal
    /// To an organization, which administers it.
    case managed(organization: Badge)

    var organization: Badge? {
        switch self {
        case .personal: nil
        case .managed(let organization): organization
        }
    }
}
