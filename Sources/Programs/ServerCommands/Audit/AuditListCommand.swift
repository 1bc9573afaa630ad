import ArgumentParser
import CommandOutput
import Directory
import Foundation
import Storage

struct AuditListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the entries, oldest first.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Flag(help: "List the chain of the server itself.")
    var server = false

    @OptionGroup var page: PageOptions

    private struct Entry: Encodable {
        let number: Int
        let at: Date
        let actor: String
        let action: String
        let subject: String
        let outcome: String
        let detail: String
        let origin: String

        init(_ record: AuditRecord) {
            number = record.sequence
            at = record.at
            actor = record.actor
            action = record.action
            subject = record.subject
            outcome = record.outcome
            detail = record.detail
            origin = record.origin
        }
    }

    private struct Result: Encodable {
        let entries: [Entry]
        let next: Int?
    }

    func validate() throws {
        if server, organization.organization != nil {
            throw ValidationError("--server lists the chain of no organization: leave out --org.")
        }
    }

    func run() async throws {
        let (selector, isServer) = (organization.selector, server)
        let (after, limit) = (page.after, page.limit)
        let found = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                let organization = isServer ? nil : try selector.find(in: transaction).id
                return try AuditRecord.page(of: organization, after: after, limit: limit + 1, in: transaction)
            }
        }
        let (records, next) = found.page(limit: limit, number: \.sequence)
        try output.print(Result(entries: records.map(Entry.init), next: next)) {
            if records.isEmpty { return "There is no entry\(after > 0 ? " after \(after)" : " yet")." }
            return Table.text(
                ["NUMBER", "TIME (UTC)", "WHO", "WHAT", "ON", "OUTCOME", "FROM", "DETAIL"],
                records.map {
                    [
                        "\($0.sequence)", $0.at.minuteText, $0.actor, $0.action, $0.subject, $0.outcome, $0.origin,
                        $0.detail,
                    ]
                }) + PageOptions.hint(next)
        }
    }
}
