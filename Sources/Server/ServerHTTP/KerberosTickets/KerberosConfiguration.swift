/// How browsers sign people in by tickets of Kerberos.
package struct KerberosConfiguration: Sendable {
    /// The path of a keytab file with a key of `HTTP/host`, where `host` is that of the base URL.
    package var keytab: String
    /// Addresses and networks in which every browser is asked for a ticket. Elsewhere only those browsers are that show
    /// no window of their own when they have none: see ``TicketQuestion``.
    package var networks: [String]

    package init(keytab: String, networks: [String] = []) {
        self.keytab = keytab
        self.networks = networks
    }
}
