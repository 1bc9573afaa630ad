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
        await main(nil)
    }
}
