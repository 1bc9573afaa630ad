import Directory
import Foundation
import Mail
import Storage

/// Tells people by mail that their password is another one: whoever did not change it themselves learns of it.
package struct PasswordNotice: Sendable {
    private let mailer: Mailer
    private let writing: AccountLetter.Writing

    package init(mailer: Mailer, writing: @escaping AccountLetter.Writing) {
        self.mailer = mailer
        self.writing = writing
    }

    /// Queues the mail, in the transaction that changes the password. Nobody gets one while mail is off, and nobody whose
    /// address may be a stranger's.
    /// - Parameter language: of the browser in which it was changed, a tag such as `ja`; nil if it was changed elsewhere:
    ///   then the person's own, or English if that is not known.
    package func tell(
        _ letter: AccountLetter, to person: Person, _ language: String? = nil, in transaction: WriteTransaction
    ) throws {
        guard mailer.isAvailable, let address = try Self.address(of: person, in: transaction) else { return }
        let language = language ?? person.language ?? "en"
        let (subject, text) = writing(letter, language)
        try mailer.enqueue(
            try MailMessage(to: address, subject: subject, text: text, language: language), in: transaction)
    }

    /// The address of a personal account; of a managed one if its organization has verified the domain.
    private static func address(of person: Person, in transaction: some Transaction) throws -> MailAddress? {
        guard let address = person.email.flatMap({ try? MailAddress($0) }) else { return nil }
        guard let organization = person.organizationID else { return address }
        let domains = try Domain.list(of: organization, in: transaction)
        return domains.contains { $0.isVerified && $0.name == address.domain } ? address : nil
    }
}
