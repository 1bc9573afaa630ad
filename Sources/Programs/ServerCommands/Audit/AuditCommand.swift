import ArgumentParser

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "The audit trail: who did what, on whom, from where.",
        discussion: """
            There is one chain for each organization, and one of the server itself for apps, teams, keys and personal \
            accounts. Each entry carries the hash of the one before it.
            """,
        subcommands: [
            AuditListCommand.self, AuditReadersCommand.self, AuditExportCommand.self, AuditAnchorCommand.self,
            AuditVerifyCommand.self,
        ])
}
