/// Why what a browser has sent as a ticket does not count.
package enum TicketRefusal: Error, Equatable, Sendable {
    /// It is not base64, or no message of SPNEGO.
    case malformed
    /// It is longer than ``TicketAcceptor/bytesMax``.
    case tooLong
    /// It is NTLM, which browsers use where they have no ticket.
    case ntlm
    /// The browser offers other ways than Kerberos first, and more than one message would be needed.
    case needsAnotherMessage
    /// The ticket does not fit: it is for another host, has expired, is of a realm that the keytab does not know, or the
    /// clocks differ. `reason` is the library's own word, for the log.
    case refused(reason: String)
    /// The ticket is right, and about no person: see ``KerberosPrincipal/init(displayed:)``.
    case notAPerson(String)

    /// Whether the browser has sent something else than a ticket of Kerberos, because it has none for the server.
    package var isOtherMethod: Bool { self == .ntlm || self == .needsAnotherMessage }
}
