import ArgumentParser
import CommandOutput
import Ground
import OpenIDExtension
import SingleSignOn
import SingleSignOnClient
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

struct PairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair this device with your organization's server, so that it signs you in without a password.",
        discussion: """
            The code comes from your account page, under “Devices that sign you in”, or from `lanyard device code`. Where it \
            is handed in, the installed profile says. The device is then yours, and no other user's of this machine.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var places: ProfileStoreOptions

    @Argument(help: "The code. Left out it is asked for; in the command other users of this machine could see it.")
    var code: String?

    @Option(help: "By which you recognize the device. [default: the name of this machine]")
    var name: String?

    @Option(help: "The identifier of the profile, if several name a server.")
    var profile: String?

    func run() async throws {
        if geteuid() == 0, let person = ProcessInfo.processInfo.environment["SUDO_USER"], person != "root" {
            throw Failure("With sudo the device would be root's. Run this as \(person), without sudo.")
        }
        let inUse = await ProfilesInUse(places)
        let payload = try payload(in: inUse)
        let code = try enteredCode()
        let device: RegisteredDevice
        do {
            device = try await .register(
                extensionData: payload.extensionData, code: code, name: name, stateFolder: inUse.stateFolder)
        } catch {
            throw Failure("This device was not paired: \(error)")
        }
        let match = await match(of: payload)
        let report = Report(
            server: device.server, device: device.device, folder: device.folder, asksNow: match?.isCovered)
        try output.print(report) {
            """
            This device is paired with \(device.server) as \(device.device).
            \(Self.effect(of: match, folder: device.folder))
            Your account page and `lanyard device list` show the device, and can remove it.
            """
        }
    }

    private struct Report: Encodable {
        let server: String
        let device: String
        /// The folder of the extension for which the registration was written.
        let folder: String
        /// Whether the broker uses that extension now; nil if no broker answered.
        let asksNow: Bool?
    }

    /// What the broker answers for the extension that was paired; nil if there is no broker.
    private func match(of payload: SingleSignOnPayload) async -> BrokerMatch? {
        guard let url = payload.urls.first?.canonical ?? payload.hosts.first.map({ "sso-host:\($0.canonical)" }) else {
            return nil
        }
        return try? await BrokerClient().match(url: url)
    }

    /// A sentence on whether the pairing has taken effect; it claims only what the broker confirmed.
    private static func effect(of match: BrokerMatch?, folder: String) -> String {
        guard let match else {
            return """
                No broker answers that could use it. The pairing is kept in
                \(folder)
                """
        }
        return match.isCovered
            ? "The extension that your broker asks about that server has it, and needs no password there."
            : "Nobody is asked to sign you in there yet:\n\(match.explanation)"
    }

    private func enteredCode() throws -> String {
        if let code { return code }
        if isatty(STDIN_FILENO) == 1 { StandardOutput.error.write("Code: ".utf8) }
        let line = readLine()?.trimmingSpaces ?? ""
        guard !line.isEmpty else {
            throw Failure("There is no code. It comes from your account page, or from `lanyard device code`.")
        }
        return line
    }

    /// The profile's payload whose extension can be paired.
    private func payload(in inUse: ProfilesInUse) throws -> SingleSignOnPayload {
        let installed = inUse.store.load()
        let candidates = installed.entries.flatMap { entry in
            entry.profile.payloads.filter {
                $0.extensionIdentifier == OpenIDExtension.identifier && $0.extensionData["deviceRegistration"] != nil
            }
            .map { (profile: entry.profile.identifier, payload: $0) }
        }
        .filter { profile == nil || $0.profile == profile }
        guard let first = candidates.first else {
            throw Failure(
                """
                \(profile.map { "There is no installed profile “\($0)” that" } ?? "No installed profile") says where devices \
                are paired (deviceRegistration). `lanyard-sso profile list` shows what is installed; install your \
                organization's profile first. \(inUse.place ?? "")
                """)
        }
        let servers = Set(candidates.compactMap { $0.payload.extensionData["deviceRegistration"]?.text })
        guard servers.count <= 1 else {
            let names = Set(candidates.map(\.profile)).sorted().joined(separator: ", ")
            throw Failure("Several profiles say where devices are paired. Name one with --profile: \(names)")
        }
        return first.payload
    }
}
