import Authorization
import Mail
import Storage

/// The recipient behind an address of the relay, if mail to it is forwarded now.
enum RelayRecipient {
    /// A hidden address: mail goes to the person's own address.
    case hidden(HiddenAddress, person: MailAddress)
    /// An address that stands for an app's: mail from the person goes to the app.
    case reply(ReplyAddress, HiddenAddress, person: MailAddress)

    static func find(_ address: String, in transaction: some Transaction) throws -> RelayRecipient? {
        if let found = try find("hidden_address.address = $1", address.lowercased(), in: transaction) {
            return .hidden(found.0, person: found.1)
        }
        guard let reply = try ReplyAddress.find(address: address, in: transaction),
            let found = try find("hidden_address.id = $1", reply.hiddenAddressID, in: transaction)
        else { return nil }
        return .reply(reply, found.0, person: found.1)
    }

    /// Nil unless the address forwards, and its account exists, is a personal one, and has an address that mail can be
    /// sent to.
    private static func find(
        _ condition: String, _ value: any SQLConvertible, in transaction: some Transaction
    ) throws -> (HiddenAddress, MailAddress)? {
        let found = try transaction.first(
            """
            SELECT person.email, \(HiddenAddress.columns)
            FROM hidden_address
            JOIN person ON person.id = hidden_address.person_id
            WHERE \(condition) AND hidden_address.forwards = 1 AND hidden_address.team_id IS NOT NULL
                AND person.organization_id IS NULL AND person.state <> 'deactivated'
            """,
            [value]
        ) { (try $0["email"] as String?, try HiddenAddress($0)) }
        guard let (email, hidden) = found, let person = email.flatMap({ try? MailAddress($0) }),
            // Forwarding to the relay's own domain would loop.
            !hidden.address.hasSuffix("@\(person.domain)")
        else { return nil }
        return (hidden, person)
    }
}
