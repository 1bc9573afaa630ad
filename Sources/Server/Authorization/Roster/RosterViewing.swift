import Directory
import Storage

/// Answers calls as the Roster API does, for people who look at a roster in the place of an app. It is a protocol
/// because only `ServerHTTP` knows how the answers of the Roster API are written.
package protocol RosterViewing: Sendable {
    /// - Parameter call: path and query below `/rosterapi/v1/`, such as `users?role=Student`.
    /// - Throws: ``RosterRefusal``, ``OAuthError``
    func answer(to call: String, as seer: RosterSeer, in transaction: ReadTransaction) throws -> RosterSight
}

/// What an app would get for a call.
package struct RosterSight: Sendable {
    /// The body of the answer, byte for byte.
    package let body: String
    /// The people whose records the body has.
    package let people: [PersonID]

    package init(body: String, people: [PersonID]) {
        self.body = body
        self.people = people
    }
}
