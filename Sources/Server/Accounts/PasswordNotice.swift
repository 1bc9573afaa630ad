import Directory
import Foundation
import Mail
import Storage

/// Tells people by mail that their password was changed, so that they notice if it was not their doing; and sends
/// members of staff a temporary one.
package struct PasswordNotice: Sendable {
    private let mailer: Mailer
    private let writing: AccountLetter.Writing

    package init(mailer: Mailer, writing: @escaping AccountLetter.Writing) {
        self.mailer = mailer
        self.writing = writing
    }

    package var isAvailable: Bool { mailer.isAvailable }

    /// Queues the mail, in the transaction that changes the password. No mail is sent while mail is off, or if the
    /// address may be a stranger's.
    /// - Parameter language: a tag such as `ja`: the language of the browser in which the password was changed. Nil if
    ///   it was changed elsewhere.
    package func tell(
        _ letter: AccountLetter, to person: Person, _ language: String? = nil, in transaction: WriteTransaction
    ) throws {
        guard mailer.isAvailable, case .certain(let address) = try OwnAddress.of(person, in: transaction) else {
            return
        }
        let language = try language ?? person.letterLanguage(in: transaction)
        try enqueue(letter, to: person, at: address, language, in: transaction)
    }

    /// Queues the mail with a temporary password, in the transaction that gives it. The queue forgets it as soon as the
    /// mail server has taken it, and sends nothing that has expired.
    /// - Parameter address: a certain one, see ``OwnAddress``.
    /// - Throws: ``Mailer/Unavailable`` while mail is off.
    package func send(
        _ password: AccountLetter.TemporaryPassword, to person: Person, at address: MailAddress,
        in transaction: WriteTransaction
    ) throws {
        try enqueue(
            .temporaryPassword(password), to: person, at: address, try person.letterLanguage(in: transaction),
            expiresAt: password.validUntil, in: transaction)
    }

    private func enqueue(
        _ letter: AccountLetter, to person: Person, at address: MailAddress, _ language: String,
        expiresAt: Date? = nil, in transaction: WriteTransaction
    ) throws {
        let (subject, text) = writing(letter, language)
        try mailer.enqueue(
            try MailMessage(to: address, subject: subject, text: text, language: language), for: person.id,
            expiresAt: expiresAt, in: transaction)
    }
}
