import ArgumentParser
import Authorization
import Foundation
import HiddenMail

struct SenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sender",
        abstract: "Who may write to the hidden addresses of a team.",
        discussion: """
            Mail from anybody else is refused. A sender has to pass SPF or DKIM, too; docs/mail.md says how.
            """,
        subcommands: [SenderListCommand.self, SenderAddCommand.self, SenderRemoveCommand.self])
}

/// The output of commands about a registered sender.
struct SenderReport: Encodable, Sendable {
    let name: String
    let createdAt: Date

    init(_ sender: RelaySender) {
        name = sender.name
        createdAt = sender.createdAt
    }
}
