/// Who owns the signed-in account.
package enum AccountKind: Sendable {
    /// The person.
    case personal
    /// An organization, which administers it.
    case managed(organization: Badge)

    var organization: Badge? {
        switch self {
        case .personal: nil
        case .managed(let organization): organization
        }
    }
}
