import Administration
import ArgumentParser

struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Devices that sign their people in with a key of their own.",
        discussion: """
            Managed accounts only. A device is registered with a code, which the person gets at their account page or from \
            `lanyard device code`. What devices have to know of this server is in a profile.
            """,
        subcommands: [
            DeviceProfileCommand.self, DeviceCodeCommand.self, DeviceListCommand.self, DeviceShowCommand.self,
            DeviceRemoveCommand.self,
        ])
}

/// `--user`, for the person that a device belongs to.
struct DeviceOwnerOption: ParsableArguments {
    @Option(
        name: [.customLong("user"), .customLong("person")], help: "The person: user name, person id, or number.")
    var user: String?

    @OptionGroup var organization: OrganizationOption

    var reference: PersonReference? { user.map(PersonReference.init) }
}
