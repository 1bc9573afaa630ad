import Directory
import Foundation

/// What standard clients are told about a person besides their address, in identity tokens and in user info alike.
/// Claims that were not asked for, or that the person does not have, are nil.
struct ProfileClaims: Sendable {
    let name: String?
    let givenName: String?
    let familyName: String?
    let preferredUserName: String?
    /// When the record was last changed, in seconds since 1970.
    let updatedAt: Int?
    /// A language tag. BCP 47.
    let locale: String?
    let orgID: String?
    let roles: [String]?
    let grade: String?

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
        roles = ifTold(.roles, shared.standing?.roles.map(\.rawValue))
        grade = ifTold(.grade, shared.standing?.grade)
    }
}
