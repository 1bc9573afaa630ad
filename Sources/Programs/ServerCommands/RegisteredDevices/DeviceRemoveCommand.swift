import ArgumentParser
import CommandOutput
import Directory
import Storage

struct DeviceRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a device, so that it cannot sign its person in any more.",
        discussion: """
            It acts on the next call: the sessions that the device began end, and so does what apps got through them. To use \
            the device again, register it with a new code.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The device, by the id that `lanyard device list` shows.")
    var device: String

    func run() async throws {
        let id = device.lowercased()
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                guard let device = try RegisteredDevice.find(publicID: id, in: transaction) else {
                    throw Failure("There is no device “\(id)”. `lanyard device list` shows the devices.")
                }
                let report = try DeviceReport(device, in: transaction)
                _ = try device.remove(by: .operator, origin: .commandLine, at: now, in: transaction)
                return report
            }
        }
        try output.print(report) { "Removed the device “\(report.name)” of \(report.fullName) (\(report.userName))" }
    }
}
