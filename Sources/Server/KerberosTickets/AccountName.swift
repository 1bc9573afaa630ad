import Foundation

/// The name of an account in Active Directory, which is not always the one in the ticket: a domain controller gives a
/// computer with the account `ANNA$` a ticket for `anna`, where nobody else is called so.
enum AccountName {
    /// Reads `sAMAccountName` out of the buffer `UPN_DNS_INFO` that a domain controller puts into tickets, MS-PAC §2.10.
    /// - Returns: nil for a controller that does not tell it.
    /// - Throws: ``TicketRefusal/malformed``
    static func read(_ buffer: Data) throws -> String? {
        let bytes = Array(buffer)
        func number(at place: Int) throws -> Int {
            guard place + 2 <= bytes.count else { throw TicketRefusal.malformed }
            return Int(bytes[place]) | Int(bytes[place + 1]) << 8
        }
        /// A text whose length and place in the buffer stand at `place`.
        func text(at place: Int) throws -> String {
            let (length, start) = (try number(at: place), try number(at: place + 2))
            guard length.isMultiple(of: 2), start + length <= bytes.count else { throw TicketRefusal.malformed }
            let units = stride(from: start, to: start + length, by: 2).map {
                UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
            }
            return String(decoding: units, as: UTF16.self)
        }
        let flags = try number(at: 8)
        if flags & hasAccountName != 0 { return try text(at: 12) }
        guard flags & isMadeOfAccountName != 0 else { return nil }
        return try text(at: 0).split(separator: "@", omittingEmptySubsequences: false).dropLast().joined(separator: "@")
    }

    /// The account has no user principal name of its own, so that the one in the buffer is made of its name.
    private static let isMadeOfAccountName = 1
    /// The buffer has the name of the account, as those of controllers since the end of 2021 do.
    private static let hasAccountName = 2
}
