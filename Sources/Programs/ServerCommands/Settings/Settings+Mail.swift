import CommandOutput
import Configuration
import Directory
import Foundation
import HiddenMail
import Mail
import ServerHTTP

extension Settings {
    /// The settings of mail; nil if there are none.
    /// - Throws: ``Failure``, ``MailAddress/Problem``, ``SMTPTransport/Server/Problem``
    func mail() throws -> MailConfiguration? {
        let url = text("mail.smtp.url")
        let folder = text("mail.maildir")
        switch (url, folder) {
        case (nil, nil):
            if let other = Self.mailKeys.first(where: { text($0) != nil }) {
                throw Failure("\(other) is set, but neither mail.smtp.url nor mail.maildir: mail would go nowhere.")
            }
            return nil
        case (_?, _?): throw Failure("mail.smtp.url and mail.maildir are both set; mail goes to one of them.")
        case (let url?, nil): return MailConfiguration(sender: try mailSender(), transport: .smtp(try smtpServer(url)))
        case (nil, let folder?): return MailConfiguration(sender: try mailSender(), transport: .maildir(folder))
        }
    }

    /// Whom the doctor writes to; nil if nobody is named.
    /// - Throws: ``MailAddress/Problem``
    func operatorAddress() throws -> MailAddress? { try text("mail.operator").map { try MailAddress($0) } }

    private static let mailKeys = [
        "mail.from", "mail.operator", "mail.smtp.userName", "mail.smtp.passwordFile", "mail.smtp.caFile",
    ]

    private func mailSender() throws -> Mailbox {
        guard let sender = text("mail.from") else {
            throw Failure("mail.from is missing: whom mail comes from, such as Maple District <id@maple.example>.")
        }
        return try Mailbox(sender)
    }

    private func smtpServer(_ url: String) throws -> SMTPTransport.Server {
        let password = try text("mail.smtp.passwordFile").map { path in
            guard let content = FileManager.default.contents(atPath: path),
                let password = String(data: content, encoding: .utf8)?.trimmingCharacters(in: .newlines),
                !password.isEmpty
            else { throw Failure("The file \(path) of mail.smtp.passwordFile cannot be read, or is empty.") }
            return password
        }
        let authority = text("mail.smtp.caFile")
        if let authority, !FileManager.default.isReadableFile(atPath: authority) {
            throw Failure("The file \(authority) of mail.smtp.caFile cannot be read.")
        }
        return try SMTPTransport.Server(
            url: url, userName: text("mail.smtp.userName"), password: password, certificateAuthorityFile: authority)
    }

    /// The settings of the relay; nil if there are none.
    /// - Throws: ``RelayConfiguration/Problem``, ``ListenAddress/Problem``, ``Failure``
    func relay() throws -> RelayConfiguration? {
        let keys = ["relay.listen.socketmap", "relay.listen.policy", "relay.listen.milter"]
        let addresses = try keys.compactMap { try text($0).map { try ListenAddress($0) } }
        guard let domain = text("relay.domain") else {
            guard addresses.isEmpty else {
                throw Failure("relay.domain is missing: what hidden addresses end in.")
            }
            return nil
        }
        guard !addresses.isEmpty else { return try RelayConfiguration(domain: domain) }
        guard addresses.count == keys.count else {
            throw Failure("\(keys.joined(separator: ", ")) belong together: the mail server asks all three.")
        }
        return try RelayConfiguration(
            domain: domain, listeners: .init(socketmap: addresses[0], policy: addresses[1], milter: addresses[2]))
    }
}
