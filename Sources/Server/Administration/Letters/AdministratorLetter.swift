import Directory
import Foundation
import Ground
import Mail
import Storage

/// The mails to those who administrate an organization. `ServerPages` has their words.
package enum AdministratorLetter: Equatable, Sendable {
    /// A consent ends soon, and may be renewed.
    case consentEnds(EndingConsent)
    /// An import was not carried out, and waits until somebody approves it.
    case importHeld(HeldImport)
    /// The files of a folder were read, or could not be.
    case pickedUp(PickedUp)

    package struct EndingConsent: Equatable, Sendable {
        package let organization: String
        package let app: String
        package let team: String
        package let lastDay: CalendarDay
        package let readsUsers: Bool
        package let readsClasses: Bool
        /// How many people and classes the app sees today.
        package let people: Int
        package let classes: Int
    }

    package struct HeldImport: Equatable, Sendable {
        package let organization: String
        /// The names of the schools whose files they are; nil for files of the whole organization.
        package let schools: String?
        /// How many people would come, change or leave.
        package let coming: Int
        package let changing: Int
        package let leaving: Int
    }

    package struct PickedUp: Equatable, Sendable {
        package let organization: String
        package let outcome: RosterPickUp.Outcome
        /// How many errors the files have.
        package let errors: Int
        /// How many people have come, changed or left.
        package let coming: Int
        package let changing: Int
        package let leaving: Int
    }

    /// Writes the words of a mail.
    /// - Parameters:
    ///   - language: a tag such as `ja`.
    /// - Returns: subject and text.
    package typealias Writing =
        @Sendable (_ letter: AdministratorLetter, _ language: String) -> (subject: String, text: String)
}

/// Sends mails to those who administrate an organization.
package struct AdministratorMail: Sendable {
    private let mailer: Mailer
    private let writing: AdministratorLetter.Writing

    package init(mailer: Mailer, writing: @escaping AdministratorLetter.Writing) {
        self.mailer = mailer
        self.writing = writing
    }

    package var isAvailable: Bool { mailer.isAvailable }

    /// Queues a mail to each person with a mail address, in ``Person/letterLanguage(in:)``. It goes to the address that
    /// the organization has written down, whether or not that is verified: the letter opens nothing, and names no
    /// pupil.
    /// - Returns: the people to whom a mail was queued.
    func tell(
        _ letter: AdministratorLetter, to people: [Person], in transaction: WriteTransaction
    ) throws -> [PersonID] {
        guard mailer.isAvailable else { return [] }
        return try people.compactMap { person in
            guard let address = person.mailAddress else { return nil }
            let language = try person.letterLanguage(in: transaction)
            let (subject, text) = writing(letter, language)
            // Apps can have names that are longer than a subject may be.
            try mailer.enqueue(
                try MailMessage(
                    to: address, subject: subject.shortened(toBytes: MailMessage.subjectBytesMax), text: text,
                    language: language),
                for: person.id, in: transaction)
            return person.id
        }
    }
}

extension AdministratorMail {
    /// Tells those who may approve it that an import is held, in the transaction that notes it.
    /// - Parameters:
    ///   - schools: the names of the schools whose files they are; nil for files of the whole organization.
    ///   - coming: how many people would come; the same for those who would change or leave.
    package func tell(
        ofHeldImportOf organization: OrganizationID, for schools: String?, coming: Int, changing: Int, leaving: Int,
        at now: Date, in transaction: WriteTransaction
    ) throws {
        guard let found = try Organization.find(organization, in: transaction) else { return }
        let letter = AdministratorLetter.importHeld(
            .init(organization: found.name, schools: schools, coming: coming, changing: changing, leaving: leaving))
        _ = try tell(
            letter, to: try Privilege.importRoster.holders(in: organization, at: now, transaction), in: transaction)
    }
}

extension Person {
    /// Nil for an address to which no mail can be sent.
    fileprivate var mailAddress: MailAddress? { email.flatMap { try? MailAddress($0) } }
}

extension Privilege {
    /// The people who have the privilege for the whole organization by a role.
    func holders(in organization: OrganizationID, at now: Date, _ transaction: some Transaction) throws -> [Person] {
        try Person.list(
            decidingWith: RolePrivileges.find(of: organization, in: transaction).roles(with: self), for: organization,
            at: now, in: transaction)
    }
}
