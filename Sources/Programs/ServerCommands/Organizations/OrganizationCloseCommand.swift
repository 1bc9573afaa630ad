import Administration
import ArgumentParser
import CommandOutput
import Directory

struct OrganizationCloseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "Close an organization that ends here: nobody of it signs in any more.",
        discussion: """
            All sessions, tokens and consents end, registered devices are removed, and the apps are told. Nothing of it is \
            changed from then on; on the server you can go on reading. On the day of erasure the people go one by one, \
            but for those whom a legal hold covers, and then classes, locations and all else. Write everything into a \
            folder before, with `lanyard org hand-over`.

            For example:
              lanyard org close --erase-after-days 60
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var confirmation: ConfirmationOptions

    @Option(help: "After how many days all is erased: 7 to 365.")
    var eraseAfterDays = 30

    func validate() throws {
        guard CloseOrganization.daysOfErasure.contains(eraseAfterDays) else {
            throw ValidationError("--erase-after-days is 7 to 365.")
        }
    }

    func run() async throws {
        let record = try await confirmation.perform(
            CloseOrganization(eraseAfterDays: eraseAfterDays), in: organization.reference, global, output)
        guard let record else { return }
        try output.print(record) {
            """
            Closed \(record.name). All of it is erased from \(record.erasesOn?.text ?? "") on. Until the day before, \
            `lanyard org reopen` on the server opens it again.
            """
        }
    }
}

struct OrganizationReopenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen", abstract: "Open a closed organization again, before the day on which it is erased.",
        discussion: """
            Passwords count again. What has ended stays so: people sign in anew, register their devices anew, and an \
            Administrator allows each app anew to read.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(ReopenOrganization(), in: organization.reference).answer
        }
        try output.print(record) {
            "\(record.name) is open again. Its people sign in anew, and its apps need new consents."
        }
    }
}
