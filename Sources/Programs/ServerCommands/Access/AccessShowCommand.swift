import Administration
import ArgumentParser
import Authorization
import CommandOutput

struct AccessShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show the mode and the list.")

    @OptionGroup var options: AccessOptions

    func run() async throws {
        let organization = options.organization.reference
        let record = try await Deployment.administrate(options.global) { administrator in
            switch options.purpose.value {
            case .dataSharing: try await administrator.ask(ShowAccess<DataSharing>(), in: organization)
            case .signIn: try await administrator.ask(ShowAccess<SigningIn>(), in: organization)
            }
        }
        try options.output.print(record) { record.text }
    }
}
