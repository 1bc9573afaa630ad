import ArgumentParser
import CommandOutput
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ProfileBuildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Write a profile.",
        discussion: """
            The same words give the same file. Nothing is written if the profile would have errors; warnings go to \
            standard error.

            The profile for the people of a Lanyard server is made there: `lanyard device profile`.
            """)

    @Option(help: "The profile's own identifier, such as test.acme.sso.")
    var identifier: String

    @Option(name: .customLong("name"), help: "What people see.")
    var displayName: String?

    @Option(name: [.customLong("organization"), .customLong("org")], help: "The organization.")
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
    var data: [KeyValue] = []

    @OptionGroup var file: OutFileOption

    func validate() throws {
        guard !url.isEmpty || !host.isEmpty else { throw ValidationError("Name a --url or a --host.") }
    }

    func run() throws {
        let description = ProfileDescription(
            identifier: identifier, displayName: displayName, organization: organization,
            extensionIdentifier: extensionIdentifier, teamIdentifier: teamIdentifier,
            hostAppIdentifier: hostAppIdentifier, urls: url, hosts: host, realm: realm,
            extensionData: data.dictionary.mapValues(PropertyListValue.string))
        let (profile, warnings) = try description.checked()
        for warning in warnings { printToStandardError(warning.description) }
        try file.write(profile)
    }
}
