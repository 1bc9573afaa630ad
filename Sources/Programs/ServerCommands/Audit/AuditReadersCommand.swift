import Administration
import ArgumentParser
import CommandOutput

struct AuditReadersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "Who has read data of one person, when, and which fields.",
        discussion: """
            It tells of apps that have read people or classes, of apps to which the person has signed in, of whoever \
            has looked at the person as an administrator, and of exports into files. Whoever has a shell on the server \
            can read its data without a trace.

            For example:
              lanyard audit readers nadia@maple.example --from 2026-08-01
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument
    @OptionGroup var time: AuditTimeOptions

    func run() async throws {
        let inquiry = ListReaders(
            person: person.reference, from: time.from?.date, until: time.until?.date, before: time.before,
            limit: time.limit)
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(inquiry, in: person.organization.reference)
        }
        try output.print(answer) {
            let hint = AuditTimeOptions.hint(answer.next)
            if answer.readings.isEmpty {
                return (answer.next == nil ? "The audit trail has nobody who has read it." : "Nobody up to here.")
                    + hint
            }
            return Table.text(
                ["ENTRY", "TIME (UTC)", "WHO", "LIST", "READ", "FIELDS"],
                answer.readings.map {
                    [
                        "\($0.number)", $0.at.minuteText, answer.names.naming($0.reader), $0.list,
                        $0.isCertain ? "yes" : "possibly", $0.fields.isEmpty ? "–" : $0.fields.joined(separator: ", "),
                    ]
                }) + Self.doubts(answer.readings) + hint
        }
    }

    private static func doubts(_ readings: [Reading]) -> String {
        let doubts = Set(readings.compactMap(\.doubt)).sorted()
        return doubts.isEmpty ? "" : "\n\n“possibly”: " + doubts.joined(separator: " ")
    }
}
