import Administration
import ArgumentParser
import CommandOutput

struct DeviceRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a device, so that it cannot sign its person in any more.",
        discussion: """
            It acts on the next call: the sessions that the device began end, and so does what apps got through them. To use \
            the device again, register it with a new code.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The device, by the id that `lanyard device list` shows.")
    var device: String

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(RemoveDevice(device: device), in: organization.reference).answer
        }
        try output.print(record) { "Removed the device “\(record.name)” of \(record.fullName) (\(record.userName))" }
    }
}
