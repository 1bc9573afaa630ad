import Authorization
import Directory
import Foundation
import Ground
import Storage

extension PersonalAccounts {
    package enum Deletion: Equatable, Sendable {
        case deleted
        /// The typed text is not the address of the account.
        case doesNotMatch
        /// The person is not signed in any more, or has a managed account.
        case notAllowed
    }

    /// What the person has to type to delete the account: its address, or the user name if it has none.
    package static func confirmation(of person: Person) -> String { person.email ?? person.userName }

    /// - Parameter text: as typed.
    package static func confirms(_ text: String, deletionOf person: Person) -> Bool {
        text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased() == confirmation(of: person).lowercased()
    }

    /// Deletes the account of the person who is signed in. Every app is told, hidden addresses stop forwarding and are
    /// never given to anybody else, and only the id of the record remains.
    ///
    /// The caller has checked the password.
    /// - Parameter confirmation: as typed.
    package func delete(
        in session: BrowserSession, confirmation: String, origin: Origin
    ) async throws -> Deletion {
        let (now, surroundings) = (surroundings.now(), surroundings)
        return try await database.write { transaction in
            guard let person = try owner(in: session, at: now, in: transaction) else { return .notAllowed }
            guard Self.confirms(confirmation, deletionOf: person) else { return .doesNotMatch }
            for consent in try SignInConsent.list(of: person.id, in: transaction) {
                try consent.end(
                    .accountDeleted, by: .person(person.id), from: origin, at: now, surroundings: surroundings,
                    in: transaction)
            }
            try SignInConsent.forgetNames(of: person.id, in: transaction)
            try HiddenAddress.release(all: person.id, at: now, in: transaction)
            for table in ["team_member", "email_challenge"] {
                try transaction.execute("DELETE FROM \(table) WHERE person_id = $1", [person.id])
            }
            try person.erase(at: now, in: transaction)
            try note(.accountDeleted, on: person.id, from: origin, at: now, in: transaction)
            return .deleted
        }
    }
}

extension SignInConsent {
    /// Deletes the names that the person gave to apps.
    fileprivate static func forgetNames(of person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE sign_in_consent SET given_name = NULL, family_name = NULL WHERE person_id = $1", [person])
    }
}

extension HiddenAddress {
    /// Stops forwarding to a deleted account. The addresses stay reserved, without an owner.
    fileprivate static func release(all person: PersonID, at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE hidden_address SET person_id = NULL, forwards = 0, changed_at = $2 WHERE person_id = $1",
            [person, now])
    }
}
