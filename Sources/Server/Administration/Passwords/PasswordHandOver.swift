import Accounts
import Directory
import Foundation
import Mail
import Storage

/// Gives the passwords of one ``IssuePasswords``, and notes who has got which, and how.
struct PasswordHandOver {
    let validUntil: Date
    private(set) var issued: [IssuedPasswords.Entry] = []
    private(set) var written: [IssuedPasswords.Written] = []

    private let organization: Organization
    private let writesLetters: Bool
    private let act: Act
    private var places: PersonPlaces

    init(to recipients: PasswordRecipients, writesLetters: Bool, in act: Act) {
        validUntil = act.now.addingTimeInterval(Credential.temporaryLifetime)
        organization = recipients.organization
        places = PersonPlaces(of: recipients)
        self.writesLetters = writesLetters
        self.act = act
    }

    mutating func give(_ new: PreparedPassword, to recipient: PasswordRecipient) throws {
        try Credential.put(
            new.hash, temporaryUntil: validUntil, for: recipient.person.id, at: act.now, in: act.transaction)
        guard writesLetters else { return try show(new, of: recipient, nil) }
        switch try recipient.letterBox(in: act.transaction) {
        case .address(let address): try write(new, to: recipient, at: address)
        case .noLetter(let reason): try show(new, of: recipient, reason)
        }
    }

    private mutating func show(
        _ new: PreparedPassword, of recipient: PasswordRecipient, _ noLetter: IssuedPasswords.NoLetter?
    ) throws {
        let person = recipient.person
        if recipient.passwordHash != nil {
            try act.context.services.passwordNotice?.tell(.passwordIssued, to: person, in: act.transaction)
        }
        try act.record(.passwordIssued, on: person, called: person.fullName)
        let place = try places.place(of: person, in: act.transaction)
        issued.append(IssuedPasswords.Entry(person, new.password, place, noLetter))
    }

    /// The letter says too that a former password is void, so that there is no second one.
    private mutating func write(
        _ new: PreparedPassword, to recipient: PasswordRecipient, at address: MailAddress
    ) throws {
        let person = recipient.person
        // The operation was refused before where no mail is sent. Without a letter the password would be lost.
        guard let notice = act.context.services.passwordNotice else { throw Mailer.Unavailable() }
        try notice.send(
            .init(
                organization: organization.name, userName: person.userName, password: new.password,
                validUntil: validUntil, isReplacement: recipient.passwordHash != nil),
            to: person, at: address, in: act.transaction)
        try act.record(.passwordMailed, on: person, called: person.fullName)
        written.append(.init(person, at: address.text))
    }
}
