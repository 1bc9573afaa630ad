import Directory
import Mail
import Storage

/// What an organization can know of the mail that the server sends to its people.
package struct MailRecord: Codable, Equatable, Sendable {
    /// The address from which the server writes; nil if it sends no mail.
    package let sender: String?
    /// The name that stands beside it; nil if none does.
    package let senderName: String?
    /// How many mails to people of the organization are still to be sent, or to be tried again.
    package let waiting: Int
    /// To how many people mail was given up in the last month, without any that has arrived since. `finding.list` names
    /// the last ones.
    package let unreached: Int
    /// How many of those who look after the organization have no address, so that they get no letter about imports and
    /// consents.
    package let unaddressed: Int
}

/// Shows whether the server sends mail, from which address, and whether it arrives.
package struct ShowMail: Inquiry {
    package typealias Answer = MailRecord

    package static let name = "mail.show"
    package static let summary = "Shows whether the server sends mail, from which address, and whether it arrives."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.get, "mail")
    package static let explanations: [String: String] = [:]

    package init() {}

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> MailRecord {
        let sender = context.services.mailSender
        return MailRecord(
            sender: sender?.address.text, senderName: sender?.name,
            waiting: try MailOutbox.waiting(in: organization.id, transaction),
            unreached: try MailOutbox.unreachedCount(in: organization.id, transaction),
            unaddressed: try Self.privilege.holders(in: organization.id, at: context.now, transaction)
                .count { $0.email == nil })
    }
}
