import Administration
import ArgumentParser
import CommandOutput
import Directory

struct CalendarCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calendar", abstract: "Show what is due, with the command that deals with it.",
        discussion: """
            Terms, consents, legal holds and roles that end, temporary passwords that run out, an import that is held, and \
            erasures by rule.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListDueDates(), in: organization.reference)
        }
        try output.print(answer) {
            if answer.dates.isEmpty { return "Nothing is due." }
            return Table.text(
                ["ON", "WHAT", "LOCATION", "COMMAND"],
                answer.dates.map { [$0.on.text, $0.text, $0.location ?? "–", $0.command] })
        }
    }
}

extension DueDate {
    fileprivate var text: String {
        func counted(_ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }
        return switch kind {
        case .termEnds: "\(term ?? "") ends, with \(counted("class", "classes"))"
        case .passwordsEnd:
            "\(counted("temporary password ends", "temporary passwords end")) unused"
        case .importIsHeld: "an import waits for approval"
        case .holdEnds: "\(counted("legal hold ends", "legal holds end"))"
        case .retentionIsDue: "\(counted("person who has left is erased", "people who have left are erased"))"
        case .consentEnds:
            "the consent for \(app ?? "") ends" + (isAnnounced == true ? ", asked by mail" : "")
        case .roleEnds:
            "\(counted("person is", "people are")) \(role?.title ?? "") until this day"
        case .organizationIsErased:
            "the closed organization is erased, with \(counted("person", "people"))"
        }
    }

    fileprivate var command: String {
        switch kind {
        case .termEnds: "lanyard term close \(term.map { $0.contains(" ") ? "\"\($0)\"" : $0 } ?? "")"
        case .passwordsEnd: "lanyard person password"
        // The report has the commands that approve and discard it.
        case .importIsHeld: planID.map { "lanyard import --report \($0)" } ?? "lanyard import --history"
        case .holdEnds: "lanyard hold list"
        case .retentionIsDue: "lanyard retention due left-people"
        case .roleEnds: "lanyard person list\(role.map { " --role \($0.rawValue)" } ?? "")"
        case .organizationIsErased: "lanyard org hand-over …"
        case .consentEnds: "lanyard consent renew \(app.map { $0.contains(" ") ? "\"\($0)\"" : $0 } ?? "")"
        }
    }
}
