/// What the signed-in person is, as the pages name it: the nine roles of an organization, none of them, or a developer.
package enum AccountRole: String, CaseIterable, Sendable {
    case administrator, siteManager, peopleManager, deviceEnrollmentManager, contentManager
    case manager, instructor, staff, student
    /// Of an organization, and without a role in it.
    case withoutRole
    /// A member of an app's developer team.
    case developer

    var sentence: Sentence { Sentence("role.\(rawValue)") }
}
