/// What the signed-in person is, as the pages name it: the nine roles of an organization, none of them,
/// a developer, or nobody but themselves.
package enum AccountRole: String, CaseIterable, Sendable {
    case administrator, siteManager, peopleManager, deviceEnrollmentManager, contentManager
    case manager, instructor, staff, student
    /// Of an organization, and without a role in it.
    case withoutRole
    /// A member of an app's developer team.
    case developer
    /// Somebody with a personal account.
    case personal

    var sentence: Sentence { Sentence("role.\(rawValue)") }
}
