/// What an app asks to read, as the consent page explains it.
package enum ConsentScope: String, CaseIterable, Sendable {
    /// `edu.users.read`
    case users
    /// `edu.classes.read`
    case classes
    /// `edu.rosterapi.test.read`: the synthetic school.
    case test

    var title: Sentence { Sentence("scope.\(rawValue)") }
}
