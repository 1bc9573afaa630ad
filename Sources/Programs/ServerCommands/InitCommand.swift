import ArgumentParser
import CommandOutput
import Directory
import Foundation
import Ground
import ServerHTTP
import Storage

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make an organization, and a one-time link to make an administrator's account.",
        discussion: """
            Run again for an organization that exists, it makes a new link and voids the old one, and adds domains. \
            Everything else of the organization stays as it is.

            For example:
              lanyard init --name "Maple District" --domain maple.example
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "The name of the organization, as people know it.")
    var name: String

    @Option(help: "school or business. [default: school]")
    var kind: Organization.Kind?

    @Option(help: "A domain of the organization; email addresses and user names may lie in it. May be repeated.")
    var domain: [String] = []

    @Option(
        help: """
            How imported people get their user names. Building blocks in braces. \
            [default: {first_name}.{last_name}@<the first domain>]
            """)
    var userNameFormat: String?

    private struct Result: Encodable {
        let organization: String
        let name: String
        let isNew: Bool
        /// Options that were ignored because the organization already exists.
        let ignored: [String]
        let link: String
        let expiresAt: Date

        var note: String {
            guard !ignored.isEmpty else { return "" }
            return """


                \(ignored.joined(separator: " and ")) changed nothing: it exists already. `lanyard org set` changes \
                its user-name format; its kind stays.
                """
        }
    }

    func run() async throws {
        let result = try await Deployment.with(global) { deployment, settings in
            let baseURL = try await settings.server().baseURL
            let givenFormat = try userNameFormat.map(UserNameFormat.init)
            let founding = try Founding(name: name, kind: kind, domains: domain, userNameFormat: givenFormat)
            let now = deployment.now
            let made = try await founding.perform(in: deployment, linksAgain: true)
            let organization = made.organization
            let ignored = [
                kind.map { $0 != organization.kind } == true ? "--kind" : nil,
                givenFormat.map { $0.text != organization.userNameFormatText } == true ? "--user-name-format" : nil,
            ]
            return Result(
                organization: organization.publicID, name: organization.name, isNew: made.isNew,
                ignored: ignored.compactMap { $0 }, link: baseURL + (made.linkPath ?? ""),
                expiresAt: now.addingTimeInterval(Invitation.lifetime))
        }
        try output.print(result) {
            """
            \(result.isNew ? "Made" : "Found") \(result.name) (\(result.organization)).\(result.note)

            Open this link once, within a day, to make an administrator's account:

                \(result.link)

            The server must be running for that: `lanyard serve`.
            """
        }
    }
}

extension Organization.Kind: ExpressibleByArgument {}
