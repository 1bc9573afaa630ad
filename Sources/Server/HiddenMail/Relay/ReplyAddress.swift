import Authorization
import Directory
import Foundation
import Ground
import Mail
import Storage

/// The address that a person sees in place of an app's. An answer to it goes through the relay, which puts the hidden
/// address in place of the person's. It takes mail from that person only.
package struct ReplyAddress: Equatable, Sendable {
    /// Lower case.
    package let address: String
    package let hiddenAddressID: HiddenAddressID
    /// The address of the app.
    package let sender: String

    /// Maximum number per hidden address. Beyond it, a new one replaces the one that was unused for longest.
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
            // The sender is stored as it was spelled: some mail servers distinguish capitals, and answers go there.
            try transaction.first(
                """
                UPDATE reply_address SET used_at = $3
                WHERE hidden_address_id = $1 AND sender = $2
                RETURNING address, hidden_address_id, sender
                """,
                [hidden.id, sender.text, day]
            ) {
                ReplyAddress(
                    address: try $0["address"], hiddenAddressID: try $0["hidden_address_id"], sender: try $0["sender"])
            }
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

    /// The beginning of the day, so that no more than the day of an answer is stored.
    private static func day(of now: Date) -> Date {
        Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
    }

    /// Records that the person has answered to the address.
    func noteUse(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE reply_address SET used_at = $2 WHERE address = $1 AND used_at < $2", [address, Self.day(of: now)])
    }

    /// `news_at_quizzler.example_` and 16 random letters and digits, about 82 bits. Knowing it allows to write to the
    /// app only, and only from the person's own address.
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
        ) {
            ReplyAddress(
                address: try $0["address"], hiddenAddressID: try $0["hidden_address_id"], sender: try $0["sender"])
        }
    }
}
