import ArgumentParser
import CommandOutput
import Foundation

/// The command line of a server: commands for operators, and the server itself.
package struct Lanyard: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "lanyard",
        abstract: "The identity and rostering service that a school or company owns itself.",
        discussion: """
            Exit codes: 0 done, 1 failed, 2 defects in what was read, 3 held for approval, 64 wrong usage.
            """,
        version: Version.full,
        subcommands: [
            ServeCommand.self, DemoCommand.self, SetupCommand.self, InitCommand.self, ImportCommand.self,
            ExportCommand.self, SampleCommand.self, OrganizationCommand.self, PersonCommand.self, ClassCommand.self,
            TermCommand.self,
            CalendarCommand.self, FindingsCommand.self, ActivityCommand.self, PickUpCommand.self, IDMapCommand.self,
            RetentionCommand.self, HoldCommand.self, ErasureCommand.self, AppCommand.self, KeyCommand.self,
            SigningKeyCommand.self, DeviceCommand.self, AccessCommand.self, SharingCommand.self, WhyCommand.self,
            ConsentCommand.self, AuditCommand.self,
            APIClientCommand.self, ChangeCommand.self, MailCommand.self, DoctorCommand.self, BackupCommand.self,
            RestoreCommand.self, LoginCommand.self, LogoutCommand.self, SingleSignOnCommand.self,
        ]
    )

    package init() {}

    package static func main() async {
        // All files that this program writes, such as databases, exports, logs and keys, are readable only for their
        // owner, because the data is about children.
        umask(0o077)
        if let arguments = SingleSignOnCommand.passedOn(CommandLine.arguments) {
            do {
                try SingleSignOnCommand.become(arguments)
            } catch {
                exit(withError: error)
            }
        }
        do {
            var command = try await asyncParseAsRoot()
            if var waiting = command as? any AsyncParsableCommand {
                try await waiting.run()
            } else {
                try command.run()
            }
        } catch {
            end(error)
        }
    }

    /// Ends as ArgumentParser would, with its words and its exit codes, but with commands as the reader runs them.
    private static func end(_ error: any Error) -> Never {
        // These are for programs.
        let isForPrograms = CommandLine.arguments.contains {
            $0.hasPrefix("--generate-completion-script") || $0 == "--experimental-dump-help"
        }
        let (code, text) = (exitCode(for: error), fullMessage(for: error))
        guard !isForPrograms, !text.isEmpty else { exit(withError: error) }
        if code.isSuccess { print(text.namingCommands()) } else { printToStandardError(text) }
        exit(withError: code)
    }
}
