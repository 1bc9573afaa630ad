import Foundation
import Storage

/// A number of each person that increases with every event that ends all their sign-ins: a new password, a
/// deactivation, a sign-out by the operator. Sessions, codes and grants carry the number of their time, and have ended
/// when the person's number is another.
///
/// Unlike a time it does not depend on the clock: a wrong clock neither ends nor revives anything, and events within
/// one second are distinguished.
package struct SignInVersion: RawRepresentable, Equatable, Sendable, SQLConvertible {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
}

extension SignInVersion {
    /// - Returns: nil if there is no such person.
    package static func current(of person: PersonID, in transaction: some Transaction) throws -> SignInVersion? {
        try transaction.first("SELECT sign_in_version FROM person WHERE id = $1", [person]) { try $0[0] }
    }

    /// SQL for a person's current version, to be written into new sessions, codes and grants.
    /// - Parameter id: SQL for the person's id, such as `$2`.
    package static func sql(of id: String) -> String { "(SELECT sign_in_version FROM person WHERE id = \(id))" }
}
