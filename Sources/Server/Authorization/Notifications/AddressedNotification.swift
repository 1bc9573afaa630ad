import Directory
import Outbox
import Storage

/// A message taken from the queue, with its recipient and its subject as they are now.
struct AddressedNotification: Sendable {
    let stored: StoredNotification
    let app: App
    let url: String
    /// The client to which the message is addressed.
    let client: Client
    let organization: Organization?
    let person: Person
}

extension AddressedNotification {
    /// Nil if the message is not to be sent any more; it is then removed from the queue or given up.
    init?(_ stored: StoredNotification, of outbox: Outbox, in transaction: WriteTransaction) throws {
        let event = stored.event
        func giveUp(_ reason: String) throws {
            try outbox.giveUp(where: "id = $1", lastError: "$2", [stored.id, reason], in: transaction)
        }
        guard let app = try App.find(stored.appID, in: transaction),
            let client = try Client.list(of: stored.appID, in: transaction).first(where: {
                // The primary client is the first one.
                $0.clientID == event.client ?? $0.clientID
            }),
            let person = try Person.find(PersonID(rawValue: event.person), in: transaction)
        else {
            try giveUp("the app or the person is gone")
            return nil
        }
        let organization = try event.organization.flatMap {
            try Organization.find(OrganizationID(rawValue: $0), in: transaction)
        }
        guard (organization == nil) == (event.organization == nil) else {
            try giveUp("the organization is gone")
            return nil
        }
        guard let url = event.isLogout ? app.backChannelLogoutURL : app.notificationURL else {
            // The operator has removed the address. If a new one is set later, it gets later messages only.
            try outbox.delete(stored.id, in: transaction)
            return nil
        }
        self.init(
            stored: stored, app: app, url: url, client: client, organization: organization, person: person)
    }
}
