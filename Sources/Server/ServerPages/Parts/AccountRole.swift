/// The role by which pages describe the signed-in person: one of the nine roles of an organization, none of them, a
/// developer, or the owner of a personal account.
package enum AccountRole: String, CaseIterable, Sendable {
    case administrator, siteManager, peopleManager, deviceEnrollmentManager, contentManager
    case manager, instructor, staff, student
    /// A member of an organization without a role in it.
    case withoutRole
    /// A member of an app's developer team.
    case developer
    /// The owner of a personal account.
    case personal

    package var sentence: Sentence { Sentence("role.\(rawValue)") }
}
