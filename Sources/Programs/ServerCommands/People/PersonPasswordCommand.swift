import Accounts
import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Foundation
import Mail
import ServerHTTP
import Storage

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

    private struct Result: Encodable {
        let name: String
        let userName: String
        let password: String
        let validUntil: Date
    }

    func run() async throws {
        let selector = person.selector
        let result = try await Deployment.withExisting(global) { deployment, settings in
            let notice = try await Self.notice(settings, deployment)
            let person = try await deployment.database.read { try selector.findToChange(in: $0) }
            guard person.state != .deactivated else {
                throw Failure(
                    """
                    \(person.fullName) is deactivated and could not sign in. Run `lanyard person reactivate \
                    \(person.userName)` first.
                    """)
            }
            let validUntil = deployment.now.addingTimeInterval(Credential.temporaryLifetime)
            let signIn = PasswordSignIn(
                database: deployment.database, hasher: PasswordHasher(surroundings: deployment.surroundings),
                surroundings: deployment.surroundings)
            let password = try await signIn.issueTemporaryPassword(for: person, by: .operator, origin: .commandLine) {
                try notice?.tell(.passwordIssued, to: $0, in: $1)
            }
            return Result(
                name: person.fullName, userName: person.userName, password: password, validUntil: validUntil)
        }
        try output.print(result) {
            """
            The temporary password of \(result.name), user name \(result.userName):

                \(result.password)

            It is shown this once, and good until \(result.validUntil.minuteText) UTC.
            """
        }
    }

    /// nil if the server sends no mail.
    private static func notice(_ settings: Settings, _ deployment: Deployment) async throws -> PasswordNotice? {
        guard let mail = try settings.mail() else { return nil }
        return PasswordNotice(
            mailer: Mailer(sender: mail.sender, surroundings: deployment.surroundings),
            writing: try AccountLetter.writing(from: try await settings.server().baseURL))
    }
}
