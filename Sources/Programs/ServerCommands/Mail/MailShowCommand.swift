import Administration
import ArgumentParser
import CommandOutput

struct MailShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show from which address an organization's people get mail, and whether it arrives.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let record = try await Deployment.administrate(global, showsMail: true) {
            try await $0.ask(ShowMail(), in: organization.reference)
        }
        try output.print(record) {
            Table.fields([
                ("Sender", record.sender ?? "none: this server sends no mail"), ("Name", record.senderName),
                ("Waiting", "\(record.waiting)"), ("People not reached", "\(record.unreached)"),
                ("Administrators without address", "\(record.unaddressed)"),
            ])
        }
    }
}
