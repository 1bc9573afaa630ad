import ArgumentParser
import CommandOutput
import KerberosDomain
import KerberosProfile
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ProfileBuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Write a profile.",
        discussion: """
            The same words give the same file. Nothing is written if the profile would have errors; warnings go to \
            standard error.

            With --from-domain the name of a domain is enough for a profile for Kerberos: its servers are looked for, and \
            what was found and what is missing goes to standard error. Other options count before what would be derived.

            The profile for the people of a Lanyard server is made there: `lanyard device profile`.
            """)

    @Option(help: "The domain of Active Directory, or another with Kerberos, for which a profile is made.")
    var fromDomain: String?

    @Option(
        help: "A name server to ask for the domain, such as 192.0.2.1 or 127.0.0.1:5353, if not those of the system.")
    var nameServer: String?

    @Option(help: "The profile's own identifier, such as test.acme.sso.")
    var identifier: String?

    @Option(name: .customLong("name"), help: "What people see.")
    var displayName: String?

    @Option(name: [.customLong("organization"), .customLong("org")], help: "The organization.")
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

    @Option(
        help: """
            key=value for the extension. May be repeated. For Kerberos a value gets the type of its key; commas divide the \
            elements of a list.
            """)
    var data: [KeyValue] = []

    @OptionGroup var file: OutFileOption

    func validate() throws {
        if nameServer != nil, fromDomain == nil { throw ValidationError("--name-server goes with --from-domain.") }
        if fromDomain != nil {
            guard extensionIdentifier ?? KerberosKeys.extensionIdentifier == KerberosKeys.extensionIdentifier,
                teamIdentifier ?? KerberosKeys.teamIdentifier == KerberosKeys.teamIdentifier, url.isEmpty,
                hostAppIdentifier == nil
            else {
                throw ValidationError(
                    "--from-domain makes a profile for Kerberos: leave out --extension, --team, --app, --url.")
            }
            return
        }
        for (name, value) in [
            ("identifier", identifier), ("extension", extensionIdentifier), ("team", teamIdentifier),
        ] where value == nil {
            throw ValidationError("Name --\(name), or have a profile for Kerberos made with --from-domain.")
        }
        guard !url.isEmpty || !host.isEmpty else { throw ValidationError("Name a --url or a --host.") }
    }

    func run() async throws {
        var description = ProfileDescription(
            identifier: identifier ?? "", displayName: displayName, organization: organization,
            extensionIdentifier: extensionIdentifier ?? KerberosKeys.extensionIdentifier,
            teamIdentifier: teamIdentifier ?? KerberosKeys.teamIdentifier,
            hostAppIdentifier: hostAppIdentifier, urls: url, hosts: host, realm: realm)
        description.extensionData = data.dictionary.mapValues(PropertyListValue.string)
        if description.extensionIdentifier == KerberosKeys.extensionIdentifier {
            for (key, value) in data.dictionary { description.extensionData[key] = try Self.typed(value, for: key) }
        }
        if let fromDomain {
            let survey = try await DomainSurvey(fromDomain, servers: nameServer)
            survey.complete(&description)
            printToStandardError(survey.text)
        }
        let (profile, warnings) = try description.checked()
        for warning in warnings { printToStandardError(warning.description) }
        try file.write(profile)
    }

    /// A value in the type that its key has; text where the key is none of the Kerberos extension, which a check finds.
    private static func typed(_ value: String, for name: String) throws -> PropertyListValue {
        switch KerberosKey.named(name)?.type {
        case "boolean":
            guard let flag = Bool(value) else { throw Failure("--data \(name)=\(value): write true or false.") }
            return .boolean(flag)
        case "integer":
            guard let number = Int64(value) else { throw Failure("--data \(name)=\(value): write a number.") }
            return .integer(number)
        case "array":
            return .array(value.split(separator: ",").map { .string(String($0)) })
        case "dictionary", "data":
            throw Failure("--data \(name): such a value has no place on a line; put it into the profile's file.")
        default:
            return .string(value)
        }
    }
}
