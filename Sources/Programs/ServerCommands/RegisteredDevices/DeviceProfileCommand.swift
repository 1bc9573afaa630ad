import Administration
import ArgumentParser
import CommandOutput
import Directory
import Foundation
import Ground
import ServerHTTP
import SingleSignOn
import SingleSignOnWire
import Storage

struct DeviceProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Write the profile with which an organization's devices sign their people in here.",
        discussion: """
            URLs, hosts, the extension and what it has to know follow from the server's settings; the same settings give the \
            same file. It is signed if the server has the setting profileSigning. Nothing is written if the profile would \
            have errors; warnings go to standard error.

            With --server, the server makes it for its own extension, and only --org and --out are taken.

            Each device installs it: `lanyard-sso profile install FILE`.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var organization: OrganizationOption

    @Flag(help: "Write it although only this machine can reach the server, for a trial.")
    var allowLoopback = false

    @Option(help: "The profile's own identifier. [default: the server's host backwards, and .sso]")
    var identifier: String?

    @Option(name: .customLong("name"), help: "The name that people see. [default: the organization's name]")
    var displayName: String?

    @Option(name: .customLong("extension"), help: "The identifier of another extension than Lanyard's own.")
    var extensionIdentifier: String?

    @Option(name: .customLong("team"), help: "The team of that extension.")
    var teamIdentifier: String?

    @Option(name: .customLong("app"), help: "The identifier of the app that brings that extension.")
    var hostAppIdentifier: String?

    @Option(name: .customLong("extension-data"), help: "More data for the extension, as key=value. May be repeated.")
    var extensionData: [KeyValue] = []

    @Option(
        name: .customLong("client-id"), help: "The client as which the extension asks for tokens; web pages need none.")
    var clientID: String?

    @OptionGroup var file: OutFileOption

    func run() async throws {
        guard try global.remote == nil else { return try await fetch() }
        let now = Surroundings.system.now()
        let (profile, signer) = try await Deployment.withExisting(global) { deployment, settings in
            let profile = ServerProfile(
                configuration: try await settings.server(),
                organizationName: try await deployment.database.read {
                    try organization.selector.findToChange(in: $0)
                }.name)
            return (profile, try settings.profileSigner(at: now))
        }
        let baseURL = profile.configuration.baseURL
        guard allowLoopback || !SettingsExamination.isLoopback(baseURL) else {
            throw Failure(
                """
                The server's base URL is \(baseURL) here, which no other device reaches. Set LANYARD_BASE_URL as for \
                the server, or baseURL in its settings. For a trial on this machine alone: --allow-loopback
                """)
        }
        let description = try profile.description(
            identifier: identifier, displayName: displayName, extensionIdentifier: extensionIdentifier,
            teamIdentifier: teamIdentifier, hostAppIdentifier: hostAppIdentifier, clientID: clientID,
            data: extensionData.dictionary.mapValues(PropertyListValue.string))
        let (xml, warnings) = try description.checked()
        for warning in warnings { printToStandardError(warning.description) }
        try file.write(try signer?.sign(xml, at: now) ?? xml)
    }

    /// Has the server make it.
    private func fetch() async throws {
        let isPlain =
            !allowLoopback && extensionData.isEmpty
            && [identifier, displayName, extensionIdentifier, teamIdentifier, hostAppIdentifier, clientID]
                .allSatisfy { $0 == nil }
        guard isPlain else {
            throw Failure(
                "With --server, only --org and --out are taken. What else a profile can say is said on the server itself."
            )
        }
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ShowSignOnProfile(), in: organization.reference)
        }
        try file.write(answer.profile)
    }
}
