import Directory
import Mail
import Storage

/// Where a mail can go that is for one person alone, because it says something of their password.
package enum OwnAddress: Equatable, Sendable {
    /// It is the person's: that of a personal account, or one in a domain that their organization has verified.
    case certain(MailAddress)
    /// The person has none to which mail can be sent.
    case missing
    /// It may be a stranger's: a file said so, and nobody answers for it.
    case uncertain

    package static func of(_ person: Person, in transaction: some Transaction) throws -> OwnAddress {
        guard let address = person.email.flatMap({ try? MailAddress($0) }) else { return .missing }
        guard let organization = person.organizationID else { return .certain(address) }
        return try Domain.gave(address.text, of: organization, in: transaction) ? .certain(address) : .uncertain
    }
}
