import Accounts
import Administration
import ArgumentParser
import CommandOutput
import Foundation
import Mail
import ServerHTTP

struct PersonPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Give a person a temporary password; it is printed once.",
        discussion: """
            The old password is void and the person is signed out everywhere. The first sign-in asks for a new \
            password. This also unlocks a locked account. If the person had a password, a mail tells them that it was \
            replaced, provided that the server sends mail and the address is theirs. It is in the language that they \
            have chosen on the server's pages, or in English.

            For example:
              lanyard person password nadia.berg@maple.example
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    func run() async throws {
        let result = try await person.perform(IssuePassword.init, global, tellsOfPasswords: true)
        try output.print(result) {
            """
            The temporary password of \(result.name), user name \(result.userName):

                \(result.password)

            It is shown this once, and good until \(result.validUntil.minuteText) UTC.
            """
        }
    }
}

extension Deployment {
    /// Nil if the server sends no mail.
    func passwordNotice(_ settings: Settings) async throws -> PasswordNotice? {
        guard let mail = try settings.mail() else { return nil }
        return PasswordNotice(
            mailer: Mailer(sender: mail.sender, surroundings: surroundings),
            writing: try AccountLetter.writing(from: try await settings.server().baseURL))
    }
}
