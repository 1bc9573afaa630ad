import Accounts
import Directory
import Foundation
import Storage

/// Gives temporary passwords to many people at once: to a class, a location, or the whole organization. For each person
/// it is asked whether the caller may do this, so that a caller who reaches only some of them gives passwords to those.
///
/// Hashing takes most of the time, and is done before the transaction. What was true of a person then is asked again in
/// the transaction: people who have changed meanwhile are left out, and reported.
package struct IssuePasswords: Change {
    package typealias Answer = IssuedPasswords

    package static let name = "person.passwords"
    package static let summary = """
        Gives temporary passwords to many people at once. The answer is the only place where they are shown, but for \
        those that members of staff get by mail.
        """
    package static let privilege = Privilege.issuePasswords
    package static let route = OperationRoute(.post, "passwords")
    package static let explanations = [
        "class": "Only who teaches or learns in this class: its id, its name, or `CL-` and its number.",
        "at": "Only who holds a role at this location: its id, its name, or `LO:` and its number.",
        "role": """
        Only who holds this role, and at that location if one is named. A role whose last day is over does not count; one \
        that is yet to begin does.
        """,
        "all": """
        Also gives a new password to those who have one: that one is void, and they are signed out everywhere. \
        Whoever asks keeps their own.
        """,
        "letters": """
        Sends whoever is no pupil the password by mail, if their email address is in a domain that the organization \
        has verified. It is not in the answer then, which names who was written to. Everybody else is in the answer as \
        without this, with the reason why there is no letter.
        """,
    ]
    package static let undo = UndoRule.impossible("Former passwords are not kept in a form that could be put back.")
    /// It can be that everybody has a password already.
    package static let mayChangeNothing = true
    package static let hasBulkForm = false

    package let `class`: ClassReference?
    package let at: LocationReference?
    package let role: Role?
    package let all: Bool?
    package let letters: Bool?

    package init(
        class rosterClass: ClassReference? = nil, at: LocationReference? = nil, role: Role? = nil, all: Bool? = nil,
        letters: Bool? = nil
    ) {
        self.class = rosterClass
        self.at = at
        self.role = role
        self.all = all
        self.letters = letters
    }

    package var takesLong: Bool { true }

    package func subject(
        in context: OperationContext, _ transaction: some Transaction
    ) throws -> PasswordRecipients {
        let organization = try context.organizationToChange(transaction)
        // Asked here, so that neither a job is begun nor a password made for nothing.
        guard letters != true || context.services.passwordNotice?.isAvailable == true else {
            throw OperationError.refused("This server sends no mail, so nobody can get a password by mail.")
        }
        guard letters != true || !organization.isSandbox else {
            throw OperationError.refused("A sandbox gets no mail, so nobody of it can get a password by mail.")
        }
        return try PasswordRecipients(
            of: organization, class: try self.class?.find(in: organization, transaction),
            at: try at?.find(in: organization, transaction).id, role: role, withPassword: all == true, context,
            in: transaction)
    }

    package func prepare(
        for recipients: PasswordRecipients, in context: OperationContext
    ) async throws -> [PersonID: PreparedPassword] {
        try await PreparedPassword.make(for: recipients.people, in: context)
    }

    package func blankPreparation(
        for recipients: PasswordRecipients, in context: OperationContext
    ) -> [PersonID: PreparedPassword] {
        Dictionary(
            uniqueKeysWithValues: recipients.people.map {
                ($0.person.id, PreparedPassword(recipient: $0, password: "", hash: "preview"))
            })
    }

    package func carryOut(
        on recipients: PasswordRecipients, _ prepared: [PersonID: PreparedPassword], in act: Act
    ) throws -> IssuedPasswords {
        var handOver = PasswordHandOver(to: recipients, writesLetters: letters == true, in: act)
        var leftOut = recipients.formerHolders.map { IssuedPasswords.LeftOut($0, .over) }
        for recipient in recipients.people {
            guard let new = prepared[recipient.person.id] else {
                leftOut.append(.init(recipient.person, .joined))
                continue
            }
            if let reason = recipient.reasonToLeaveOut(new) {
                leftOut.append(.init(recipient.person, reason))
                continue
            }
            try handOver.give(new, to: recipient)
        }
        leftOut += try Self.gone(prepared, from: recipients, in: act.transaction)
        return IssuedPasswords(
            organization: recipients.organization.name, organizationID: recipients.organization.publicID,
            colour: recipients.organization.colour, language: recipients.organization.rules.language,
            validUntil: handOver.validUntil, people: handOver.issued.sorted(),
            written: letters == true ? handOver.written.sorted() : nil,
            leftOut: leftOut, keptTheirs: recipients.keptCount)
    }

    /// The people who were among the recipients when the passwords were made, and are not any more.
    private static func gone(
        _ prepared: [PersonID: PreparedPassword], from recipients: PasswordRecipients, in transaction: some Transaction
    ) throws -> [IssuedPasswords.LeftOut] {
        let present = Set(recipients.people.map(\.person.id)).union(recipients.formerHolders.map(\.id))
        return try prepared.keys.filter { !present.contains($0) }.sorted().compactMap { id in
            guard let person = try Person.find(id, in: transaction) else { return nil }
            let hash = try Credential.find(for: id, in: transaction)?.passwordHash
            let reason: IssuedPasswords.LeftOut.Reason =
                person.state == .deactivated
                ? .deactivated : hash != prepared[id]?.recipient.passwordHash ? .password : .left
            return IssuedPasswords.LeftOut(person, reason)
        }
    }
}
