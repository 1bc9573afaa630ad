import Directory
import Foundation
import Mail
import Storage

/// Tells people by mail that their password was changed, so that they notice if it was not their doing.
package struct PasswordNotice: Sendable {
    private let mailer: Mailer
    private let writing: AccountLetter.Writing

    package init(mailer: Mailer, writing: @escaping AccountLetter.Writing) {
        self.mailer = mailer
        self.writing = writing
    }

    /// Queues the mail, in the transaction that changes the password. No mail is sent while mail is off, or if the
    /// address may be a stranger's.
    /// - Parameter language: a tag such as `ja`: the language of the browser in which the password was changed. Nil if
    ///   it was changed elsewhere.
    package func tell(
        _ letter: AccountLetter, to person: Person, _ language: String? = nil, in transaction: WriteTransaction
    ) throws {
        guard mailer.isAvailable, let address = try Self.address(of: person, in: transaction) else { return }
        let language = try language ?? person.letterLanguage(in: transaction)
        let (subject, text) = writing(letter, language)
        try mailer.enqueue(
            try MailMessage(to: address, subject: subject, text: text, language: language), for: person.id,
            in: transaction)
    }

    /// The address of a personal account; that of a managed account only if its organization has verified the domain.
    private static func address(of person: Person, in transaction: some Transaction) throws -> MailAddress? {
        guard let address = person.email.flatMap({ try? MailAddress($0) }) else { return nil }
        guard let organization = person.organizationID else { return address }
        let domains = try Domain.list(of: organization, in: transaction)
        return domains.contains { $0.isVerified && $0.name == address.domain } ? address : nil
    }
}
