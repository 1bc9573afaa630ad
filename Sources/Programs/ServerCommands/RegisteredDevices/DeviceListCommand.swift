import Administration
import ArgumentParser
import CommandOutput

struct DeviceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices of a person, or of an organization's people.",
        discussion: "The facts are what devices say of themselves.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var owner: DeviceOwnerOption

    /// How many devices are asked for at once.
    private static let pageSize = 500

    private struct Result: Encodable {
        let devices: [DeviceRecord]
    }

    func run() async throws {
        let devices = try await Deployment.administrate(global) { administrator in
            var (devices, after): ([DeviceRecord], Int64?) = ([], nil)
            repeat {
                let page = try await administrator.ask(
                    ListDevices(person: owner.reference, after: after, limit: Self.pageSize),
                    in: owner.organization.reference)
                devices += page.devices
                after = page.next
            } while after != nil
            return devices
        }
        try output.print(Result(devices: devices)) {
            if devices.isEmpty { return "There is no device yet. `lanyard device code` gives a code for one." }
            return Table.text(DeviceRecord.head, devices.map(\.row))
        }
    }
}

struct DeviceShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a device, with what it says of itself.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The device, by the id that `lanyard device list` shows.")
    var device: String

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.ask(ShowDevice(device: device), in: organization.reference)
        }
        try output.print(record) { record.text }
    }
}
