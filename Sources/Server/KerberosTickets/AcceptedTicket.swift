import Foundation

/// A ticket that counts, unless it was used before: whoever signs somebody in by it has to note ``use`` first.
package struct AcceptedTicket: Sendable {
    package let principal: KerberosPrincipal
    /// The realm whose key has opened the ticket. Whoever knows that key can write any principal into a ticket, of other realms too.
    package let issuer: String
    /// What shows the browser that this is the server that it meant; empty if it has not asked.
    package let reply: Data
    /// Names the message with the ticket, and no other message with the same ticket. It is made of what the browser has
    /// encrypted, so that nobody who repeats the message can change it.
    package let use: String
    /// From when on no message with this ticket is accepted any more.
    package let endsAt: Date
}
