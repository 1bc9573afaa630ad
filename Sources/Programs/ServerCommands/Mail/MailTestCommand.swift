import ArgumentParser
import CommandOutput
import Directory
import Foundation
import Ground
import Mail
import Storage

struct MailTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send one mail now, with the settings of the server, and say how that went.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The address to send it to.")
    var address: String

    private struct Result: Encodable {
        let recipient: String
        let messageID: String
    }

    func run() async throws {
        let recipient = try MailAddress(address)
        guard let mail = try await Settings(global).mail() else {
            throw Failure("Mail is off: neither mail.smtp.url nor mail.maildir is set.")
        }
        let message = try MailMessage(
            to: recipient, subject: "A test of Lanyard",
            text: """
                This is a test of the mail that Lanyard sends.

                Whoever runs the server has asked for it with `lanyard mail test`. There is nothing to do.
                """, language: "en")
        let id = try await DirectMail(configuration: mail).send(message)
        try output.print(Result(recipient: recipient.text, messageID: id)) {
            "Sent to \(recipient.text). Whether it arrives, the mailbox will show."
        }
    }
}
