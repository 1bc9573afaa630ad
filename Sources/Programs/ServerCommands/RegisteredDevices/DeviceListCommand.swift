import ArgumentParser
import CommandOutput
import Directory
import Storage

struct DeviceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices of a person, or of an organization's people.",
        discussion: "The facts are what devices say of themselves.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var owner: DeviceOwnerOption

    /// How many devices are read in one transaction.
    private static let pageSize = 500

    private struct Result: Encodable {
        let devices: [DeviceReport]
    }

    func run() async throws {
        let (selector, organization) = (owner.selector, owner.organization.selector)
        let devices = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                let devices =
                    if let selector {
                        try RegisteredDevice.list(of: try selector.find(in: transaction).id, in: transaction)
                    } else {
                        try Self.devices(of: try organization.find(in: transaction).id, in: transaction)
                    }
                return try devices.map { try DeviceReport($0, in: transaction) }
            }
        }
        try output.print(Result(devices: devices)) {
            if devices.isEmpty { return "There is no device yet. `lanyard device code` gives a code for one." }
            return Table.text(
                ["ID", "NAME", "USER NAME", "REGISTERED (UTC)", "USED (UTC)", "FACTS"],
                devices.map {
                    [
                        $0.id, $0.name, $0.userName, $0.registeredAt.minuteText, $0.usedAt?.minuteText ?? "–",
                        $0.factsText,
                    ]
                })
        }
    }

    private static func devices(
        of organization: OrganizationID, in transaction: some Transaction
    ) throws -> [RegisteredDevice] {
        var devices: [RegisteredDevice] = []
        while true {
            let page = try RegisteredDevice.page(
                of: organization, after: devices.last?.id ?? .none, limit: pageSize, in: transaction)
            devices += page
            if page.count < pageSize { return devices }
        }
    }
}
