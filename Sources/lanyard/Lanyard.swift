import ArgumentParser

@main
struct Lanyard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lanyard",
        abstract: "The identity and rostering service that a school or company owns itself.",
        discussion: """
            Exit codes: 0 done, 1 failed, 2 defects in what was read, 3 held for approval, 64 wrong usage.
            """,
        version: Version.text,
        subcommands: [
            ServeCommand.self, DemoCommand.self, InitCommand.self, ImportCommand.self, ExportCommand.self,
            SampleCommand.self, OrganizationCommand.self, PersonCommand.self, AppCommand.self, KeyCommand.self,
            AccessCommand.self, ConsentCommand.self, AuditCommand.self, DoctorCommand.self,
        ]
    )
}

enum Version {
    static let text = "0.1.0"
}
