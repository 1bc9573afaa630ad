import Directory
import Foundation

/// The passwords that were given to many people, in the order in which they are handed out. They are nowhere else.
/// Those that were sent by mail are not here.
package struct IssuedPasswords: Codable, Sendable {
    package let organization: String
    package let organizationID: String
    /// The colour of the organization's pages; nil if it follows from the id.
    package let colour: Organization.Colour?
    /// The organization's language, for slips; nil if it has chosen none.
    package let language: String?
    package let validUntil: Date
    /// The people whose passwords are here, sorted by school, class and name.
    package let people: [Entry]
    /// The people who have got their passwords by mail instead, sorted by name; nil unless letters were asked for.
    package let written: [Written]?
    /// The people who have got none, because their role is over, or something has changed while the passwords were made.
    package let leftOut: [LeftOut]
    /// How many people have a password already, and keep it.
    package let keptTheirs: Int

    package struct Entry: Codable, Equatable, Sendable {
        package let school: String?
        package let `class`: String?
        package let firstName: String
        package let middleName: String?
        package let lastName: String
        package let userName: String
        package let password: String
        /// The reason why no letter was written to the person; nil unless letters were asked for.
        package let noLetter: NoLetter?

        package init(
            school: String?, class className: String?, firstName: String, middleName: String?, lastName: String,
            userName: String, password: String, noLetter: NoLetter? = nil
        ) {
            self.school = school
            self.class = className
            self.firstName = firstName
            self.middleName = middleName
            self.lastName = lastName
            self.userName = userName
            self.password = password
            self.noLetter = noLetter
        }

        init(_ person: Person, _ password: String, _ place: PersonPlaces.Place, _ noLetter: NoLetter?) {
            self.init(
                school: place.school, class: place.className, firstName: person.givenName,
                middleName: person.middleName, lastName: person.familyName, userName: person.userName,
                password: password, noLetter: noLetter)
        }

        package var fullName: String {
            Person.fullName(givenName: firstName, middleName: middleName, familyName: lastName)
        }
    }

    /// A person whose password is in a mail alone.
    package struct Written: Codable, Equatable, Sendable {
        package let name: String
        package let userName: String
        /// The address to which the mail goes.
        package let address: String

        init(_ person: Person, at address: String) {
            name = person.fullName
            userName = person.userName
            self.address = address
        }
    }

    package enum NoLetter: String, Codable, CaseIterable, Sendable {
        case pupil
        /// There is no address to which mail can be sent.
        case noAddress
        /// The address is in no domain that the organization has verified, so it may be a stranger's.
        case notVerified
    }

    package struct LeftOut: Codable, Equatable, Sendable {
        package enum Reason: String, Codable, CaseIterable, Sendable {
            case deactivated
            /// Has got a password from somebody else, or chosen one.
            case password
            /// Has other roles, so that the password would have to be of another kind.
            case roles
            /// Has only just joined these people.
            case joined
            /// Does not belong to these people any more.
            case left
            /// The last day of the role for which they were among these people is over.
            case over
        }

        package let name: String
        package let userName: String
        package let reason: Reason

        init(_ person: Person, _ reason: Reason) {
            name = person.fullName
            userName = person.userName
            self.reason = reason
        }
    }
}

extension IssuedPasswords.Entry: Comparable {
    package static func < (a: Self, b: Self) -> Bool {
        func texts(_ entry: Self) -> [String] {
            [entry.school ?? "", entry.class ?? "", entry.lastName, entry.firstName, entry.userName]
        }
        return texts(a).stand(before: texts(b))
    }
}

extension IssuedPasswords.Written: Comparable {
    package static func < (a: Self, b: Self) -> Bool { [a.name, a.userName].stand(before: [b.name, b.userName]) }
}

extension [String] {
    /// Whether a list that is sorted by these texts has them before the others, of which there are as many.
    fileprivate func stand(before others: [String]) -> Bool {
        for (left, right) in zip(self, others) where left != right {
            // The order in which people look something up: “4 B” before “10 A”, and “Ångström” beside “Angstrom”.
            let order = left.compare(
                right, options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive, .numeric])
            return order == .orderedSame ? left < right : order == .orderedAscending
        }
        return false
    }
}
