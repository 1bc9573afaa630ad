import Foundation
import Storage

/// Counts, for each person, what ends everything that they have signed in to: a new password, a deactivation, an operator
/// who signs them out. Sessions, codes and grants carry the number of their time, and are over when it is not the
/// person's any more.
///
/// No clock takes part: one that is wrong ends nothing and revives nothing, and what happens within a second is told apart.
package struct SignInVersion: RawRepresentable, Equatable, Sendable, SQLConvertible {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
}

extension SignInVersion {
    /// - Returns: nil if there is no such person.
    package static func current(of person: PersonID, in transaction: some Transaction) throws -> SignInVersion? {
        try transaction.first("SELECT sign_in_version FROM person WHERE id = $1", [person]) { try $0[0] }
    }

    /// SQL: the version of a person, as it is written into what the person signs in to now.
    /// - Parameter id: of the person, such as `$2`.
    package static func sql(of id: String) -> String { "(SELECT sign_in_version FROM person WHERE id = \(id))" }
}
