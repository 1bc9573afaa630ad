import Directory
import Foundation

/// What standard clients are told of a person beside their address, in identity tokens and as user info alike. What was not
/// asked for, or is not there, is nil.
struct ProfileClaims: Sendable {
    let name: String?
    let givenName: String?
    let familyName: String?
    let preferredUserName: String?
    /// Seconds since 1970: when the record was changed last.
    let updatedAt: Int?
    /// BCP 47.
    let locale: String?
    let orgID: String?

    init(of shared: PersonClaims, _ told: ToldClaims) {
        func ifTold<Value>(_ claim: Claim, _ value: Value?) -> Value? { told.contains(claim) ? value : nil }
        let person = shared.person
        name = ifTold(.name, Person.fullName(givenName: shared.givenName, familyName: shared.familyName))
        givenName = ifTold(.givenName, shared.givenName)
        familyName = ifTold(.familyName, shared.familyName)
        preferredUserName = ifTold(.preferredUserName, shared.organization == nil ? nil : person.userName)
        updatedAt = ifTold(.updatedAt, Int(person.modifiedAt.timeIntervalSince1970))
        locale = ifTold(.locale, person.language)
        orgID = ifTold(.organization, shared.organization?.publicID)
    }
}
