import Directory
import Foundation
import Ground
import Mail
import Storage

/// What a person sees in place of an app's address: an answer to it goes through the relay, which writes the hidden
/// address into it. It takes mail from that person alone.
package struct ReplyAddress: Equatable, Sendable {
    /// Lower case.
    package let address: String
    package let hiddenAddressID: HiddenAddressID
    /// The address of the app.
    package let sender: String

    /// So many a hidden address; then the one that was not used for longest makes room.
    static let countMax = 1_000
}

extension ReplyAddress {
    /// The address that stands for a sender, made if there is none yet.
    static func findOrInsert(
        for sender: MailAddress, at hidden: HiddenAddress, domain: String, now: Date, from surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> ReplyAddress {
        let day = day(of: now)
        func find() throws -> ReplyAddress? {
            // The sender as it was spelled: some mailboxes tell capitals apart, and answers go there.
            try transaction.first(
                """
                UPDATE reply_address SET used_at = $3
                WHERE hidden_address_id = $1 AND sender = $2
                RETURNING address, hidden_address_id, sender
                """,
                [hidden.id, sender.text, day]
            ) { ReplyAddress(address: try $0[0], hiddenAddressID: try $0[1], sender: try $0[2]) }
        }
        if let found = try find() { return found }
        try makeRoom(at: hidden.id, in: transaction)
        while true {
            let address = "\(makeLocalPart(for: sender, from: surroundings))@\(domain)"
            try transaction.execute(
                """
                INSERT INTO reply_address (address, hidden_address_id, sender, created_at, used_at)
                VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT DO NOTHING
                """,
                [address, hidden.id, sender.text, now, day])
            if let found = try find() { return found }
        }
    }

    /// A day is all that is kept of the time.
    private static func day(of now: Date) -> Date {
        Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
    }

    /// The person has answered to it.
    func noteUse(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE reply_address SET used_at = $2 WHERE address = $1 AND used_at < $2", [address, Self.day(of: now)])
    }

    /// `news_at_quizzler.example_` and 16 random letters and digits, some 82 bits: whoever knows it can only write to
    /// the app, and only from the person's own address.
    private static func makeLocalPart(for sender: MailAddress, from surroundings: Surroundings) -> String {
        let legible = "\(sender.localPart)_at_\(sender.domain)".lowercased().utf8
            .map { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") ? $0 : UInt8(ascii: "-") }.prefix(44)
        return String(decoding: legible, as: UTF8.self) + "_" + RandomName.make(length: 16, from: surroundings)
    }

    private static func makeRoom(at hidden: HiddenAddressID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            DELETE FROM reply_address WHERE address IN (
                SELECT address FROM reply_address
                WHERE hidden_address_id = $1
                ORDER BY used_at DESC, created_at DESC, address
                LIMIT 1000 OFFSET \(countMax - 1)
            )
            """,
            [hidden])
    }

    static func find(address: String, in transaction: some Transaction) throws -> ReplyAddress? {
        try transaction.first(
            "SELECT address, hidden_address_id, sender FROM reply_address WHERE address = $1", [address.lowercased()]
        ) { ReplyAddress(address: try $0[0], hiddenAddressID: try $0[1], sender: try $0[2]) }
    }
}
