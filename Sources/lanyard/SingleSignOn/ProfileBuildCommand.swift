import ArgumentParser
import Directory
import Foundation
import SingleSignOn
import SingleSignOnWire

struct ProfileBuildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Write a profile.",
        discussion: """
            The same words give the same file. Nothing is written if the profile would have errors; warnings go to \
            standard error.
            """)

    @Option(help: "The profile's own identifier, such as test.acme.sso.")
    var identifier: String

    @Option(name: .customLong("name"), help: "What people see.")
    var displayName: String?

    @Option(help: "The organization.")
    var organization: String?

    @Option(name: .customLong("extension"), help: "The identifier of the extension.")
    var extensionIdentifier: String

    @Option(name: .customLong("team"), help: "The team of the extension.")
    var teamIdentifier: String

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

    @Option(help: "The file; standard output if it is left out.", completion: .file())
    var out: String?

    func validate() throws {
        guard !url.isEmpty || !host.isEmpty else { throw ValidationError("Name a --url or a --host.") }
        guard data.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else {
            throw ValidationError("--data is key=value.")
        }
    }

    func run() throws {
        let pairs = data.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
        let description = ProfileDescription(
            identifier: identifier, displayName: displayName, organization: organization,
            extensionIdentifier: extensionIdentifier, teamIdentifier: teamIdentifier,
            hostAppIdentifier: hostAppIdentifier, urls: url, hosts: host, realm: realm,
            extensionData: Dictionary(pairs.map { (String($0[0]), .string(String($0[1]))) }) { $1 })
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
    }
}
