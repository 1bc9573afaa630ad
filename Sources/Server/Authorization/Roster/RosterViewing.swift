import Directory
import Storage

/// Answers calls as the Roster API does, for whoever looks in the place of an app. Only the Roster API itself knows how
/// its answers are written.
package protocol RosterViewing: Sendable {
    /// - Parameter call: path and query below `/rosterapi/v1/`, such as `users?role=Student`.
    /// - Throws: ``RosterRefusal``, ``OAuthError``
    func answer(to call: String, as seer: RosterSeer, in transaction: ReadTransaction) throws -> RosterSight
}

/// What an app would get for a call.
package struct RosterSight: Sendable {
    /// The body of the answer, byte for byte.
    package let body: String
    /// Whose records it has.
    package let people: [PersonID]

    package init(body: String, people: [PersonID]) {
        self.body = body
        self.people = people
    }
}
