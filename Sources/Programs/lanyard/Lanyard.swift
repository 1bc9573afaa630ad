import ArgumentParser
import Foundation

@main
struct Lanyard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lanyard",
        abstract: "The identity and rostering service that a school or company owns itself.",
        discussion: """
            Exit codes: 0 done, 1 failed, 2 defects in what was read, 3 held for approval, 64 wrong usage; 4 to 7 of sso see \
            its commands.
            """,
        version: Version.text,
        subcommands: [
            ServeCommand.self, DemoCommand.self, InitCommand.self, ImportCommand.self, ExportCommand.self,
            SampleCommand.self, OrganizationCommand.self, PersonCommand.self, AppCommand.self, KeyCommand.self,
            SigningKeyCommand.self, DeviceCommand.self, AccessCommand.self, ConsentCommand.self, AuditCommand.self,
            MailCommand.self,
            DoctorCommand.self, SingleSignOnCommand.self,
        ]
    )

    static func main() async {
        // Whatever this program writes is about children: databases, exports, logs and keys are for their owner alone.
        umask(0o077)
        await main(nil)
    }
}

enum Version {
    static let text = "0.1.0"
}
