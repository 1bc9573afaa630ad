import Foundation
import Storage

/// What a record says of a person and administrators can correct. Only values that are new are checked, because rules
/// may have become stricter since a value was stored.
package struct PersonDetails: Equatable, Sendable {
    package enum Field: String, Codable, CaseIterable, Sendable {
        case firstName
        case middleName
        case lastName
        case email
        case grade
        case personID
        case passwordPolicy

        /// As people call it.
        package var words: String {
            switch self {
            case .firstName: "first name"
            case .middleName: "middle name"
            case .lastName: "last name"
            case .email: "email address"
            case .grade: "grade"
            case .personID: "person id"
            case .passwordPolicy: "password policy"
            }
        }
    }

    package var givenName: String
    package var middleName: String?
    package var familyName: String
    package var email: String?
    package var grade: String?
    package var sourceID: String?
    package var passwordPolicy: PasswordPolicy?

    /// The fields in which this differs from another.
    package func differences(from other: PersonDetails) -> [Field] {
        Field.allCases.filter { field in
            switch field {
            case .firstName: givenName != other.givenName
            case .middleName: middleName != other.middleName
            case .lastName: familyName != other.familyName
            case .email: email != other.email
            case .grade: grade != other.grade
            case .personID: sourceID != other.sourceID
            case .passwordPolicy: passwordPolicy != other.passwordPolicy
            }
        }
    }

    /// As ``FieldRule`` wants it: trimmed, and in Unicode's composed form.
    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    func checked(unlessStill former: PersonDetails) throws -> PersonDetails {
        func check(_ rule: FieldRule, _ value: String, _ former: String, _ field: Field) throws -> String {
            try rule.check(value, unlessStill: former, field: field.words)
        }
        func check(_ rule: FieldRule, _ value: String?, _ former: String?, _ field: Field) throws -> String? {
            value == former ? former : try rule.checkIfPresent(value, field: field.words)
        }
        return PersonDetails(
            givenName: try check(.name, givenName, former.givenName, .firstName),
            middleName: try check(.optionalName, middleName, former.middleName, .middleName),
            familyName: try check(.name, familyName, former.familyName, .lastName),
            email: try check(.email, email, former.email, .email),
            grade: try check(.short, grade, former.grade, .grade),
            sourceID: try check(.sourceID, sourceID, former.sourceID, .personID),
            passwordPolicy: passwordPolicy)
    }
}

extension Person {
    package var details: PersonDetails {
        PersonDetails(
            givenName: givenName, middleName: middleName, familyName: familyName, email: email, grade: grade,
            sourceID: sourceID, passwordPolicy: passwordPolicy)
    }

    /// Corrects a record. It stays with whoever maintains it: if that is the import, the next one puts back what the
    /// files say.
    /// - Returns: the fields that have another value now.
    /// - Throws: ``DirectoryError/invalidField(field:reason:)``, ``DirectoryError/personIDTaken(_:)``
    package func correct(
        to details: PersonDetails, at now: Date, in transaction: WriteTransaction
    ) throws -> [PersonDetails.Field] {
        let former = self.details
        let new = try details.checked(unlessStill: former)
        let changed = new.differences(from: former)
        guard !changed.isEmpty else { return [] }
        if changed.contains(.personID), let organizationID, let sourceID = new.sourceID,
            let other = try Person.find(sourceID: sourceID, in: organizationID, transaction), other.id != id
        {
            throw DirectoryError.personIDTaken(sourceID)
        }
        do {
            try transaction.execute(
                """
                UPDATE person SET given_name = $2, middle_name = $3, family_name = $4, email = $5, grade = $6,
                                  source_id = $7, password_policy = $8, modified_at = $9
                WHERE id = $1
                """,
                [
                    id, new.givenName, new.middleName, new.familyName, new.email, new.grade, new.sourceID,
                    new.passwordPolicy, now,
                ])
        } catch DatabaseError.uniqueViolation(let key) where key.contains("source_id") {
            // Another transaction has given the id since the check above.
            throw DirectoryError.personIDTaken(new.sourceID ?? "")
        }
        return changed
    }
}
