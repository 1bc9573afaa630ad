import ArgumentParser
import Directory
import Foundation
import Ground
import ServerHTTP
import SingleSignOn
import SingleSignOnWire

struct ProfileBuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Write a profile.",
        discussion: """
            The same words give the same file. Nothing is written if the profile would have errors; warnings go to \
            standard error.

            With --from-server the profile is for the people of an organization on this machine's server: URLs, hosts, \
            extension and its data follow from the server's settings.
            """)

    @OptionGroup var server: ServerOptions

    @Flag(help: "For an organization on this machine's server, from its settings.")
    var fromServer = false

    @Flag(help: "With --from-server: although the server is reached from this machine only, for a trial.")
    var allowLoopback = false

    @Option(help: "The profile's own identifier, such as test.acme.sso.")
    var identifier: String?

    @Option(name: .customLong("name"), help: "What people see.")
    var displayName: String?

    @Option(
        name: [.customLong("organization"), .customLong("org")],
        help: "The organization; with --from-server by name or id, and only if there are several.")
    var organization: String?

    @Option(name: .customLong("extension"), help: "The identifier of the extension.")
    var extensionIdentifier: String?

    @Option(name: .customLong("team"), help: "The team of the extension.")
    var teamIdentifier: String?

    @Option(
        name: .customLong("app"),
        help: "The identifier of the app that brings the extension; the hosts of all URLs are given to it.")
    var hostAppIdentifier: String?

    @Option(help: "A URL: the extension is asked before requests that begin so. May be repeated.")
    var url: [String] = []

    @Option(help: "A host, or .suffix: the extension is asked when it challenges. May be repeated.")
    var host: [String] = []

    @Option(help: "The realm of a credential extension.")
    var realm: String?

    @Option(help: "key=value for the extension. May be repeated.")
    var data: [String] = []

    @Option(
        name: .customLong("client-id"),
        help: "With --from-server: the client as which the extension asks for tokens; web pages need none.")
    var clientID: String?

    @Option(help: "The file; standard output if it is left out.", completion: .file())
    var out: String?

    func validate() throws {
        try server.check(isUsed: fromServer)
        if fromServer {
            guard url.isEmpty, host.isEmpty, realm == nil else {
                throw ValidationError("With --from-server the URLs are the server's: leave out --url, --host, --realm.")
            }
        } else {
            guard !url.isEmpty || !host.isEmpty else { throw ValidationError("Name a --url or a --host.") }
            guard identifier != nil, extensionIdentifier != nil, teamIdentifier != nil else {
                throw ValidationError("Name --identifier, --extension and --team, or take all from --from-server.")
            }
            guard clientID == nil else {
                throw ValidationError("--client-id goes with --from-server; without it use --data.")
            }
            guard !allowLoopback else { throw ValidationError("--allow-loopback goes with --from-server.") }
        }
        guard data.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else {
            throw ValidationError("--data is key=value.")
        }
    }

    private func describe() async throws -> ProfileDescription {
        let pairs = data.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
        let data = Dictionary(pairs.map { (String($0[0]), PropertyListValue.string(String($0[1]))) }) { $1 }
        guard fromServer else {
            return ProfileDescription(
                // validate() has seen to these.
                identifier: identifier ?? "", displayName: displayName, organization: organization,
                extensionIdentifier: extensionIdentifier ?? "", teamIdentifier: teamIdentifier ?? "",
                hostAppIdentifier: hostAppIdentifier, urls: url, hosts: host, realm: realm, extensionData: data)
        }
        let profile = try await ServerProfile.read(
            try server.global(), organization: OrganizationSelector(text: organization, option: "--organization"))
        let baseURL = profile.configuration.baseURL
        guard allowLoopback || !SettingsExamination.isLoopback(baseURL) else {
            throw Failure(
                """
                The server's base URL is \(baseURL) here, which no other device reaches. Set LANYARD_BASE_URL as for \
                `lanyard serve`, or baseURL in lanyard.json. For a trial on this machine alone: --allow-loopback
                """)
        }
        return try profile.description(
            identifier: identifier, displayName: displayName, extensionIdentifier: extensionIdentifier,
            teamIdentifier: teamIdentifier, hostAppIdentifier: hostAppIdentifier, clientID: clientID, data: data)
    }

    func run() async throws {
        let description = try await describe()
        let profile = description.profile
        let reading = ProfileReading(profile)
        guard reading.errors.isEmpty else {
            throw Failure("Nothing was written:\n" + reading.errors.map { "  \($0)" }.joined(separator: "\n"))
        }
        for finding in reading.findings {
            FileHandle.standardError.write(Data("\(finding.description.printable(keepsLines: false))\n".utf8))
        }
        guard let out else { return FileHandle.standardOutput.write(profile.xml) }
        do {
            try profile.xml.write(to: URL(fileURLWithPath: out), options: .atomic)
        } catch {
            throw Failure("\(out) cannot be written.")
        }
        print("Wrote \(out.printable()).")
    }
}
