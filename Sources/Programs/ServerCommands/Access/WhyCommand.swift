import Administration
import ArgumentParser
import CommandOutput

struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "What an app gets about one person, because of which rule, and what would change it.",
        discussion: """
            For example:
              lanyard why nadia@maple.example Quizzler
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    @Argument(help: "The app: a client id or its name.")
    var app: String

    func run() async throws {
        let inquiry = ExplainAccess(person: person.reference, app: AppReference(app))
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(inquiry, in: person.organization.reference)
        }
        try output.print(answer) {
            [answer.signIn.text("signing in", of: answer), answer.roster.text("roster", of: answer)]
                .joined(separator: "\n\n")
        }
    }
}

extension AccessVerdict {
    fileprivate func text(_ way: String, of answer: ExplainAccess.Answer) -> String {
        var lines = ["\(isAllowed ? "yes" : "no ")  \(way): \(explanation)"]
        if let ruleVersion { lines.append("     The rule: version \(ruleVersion) of \(answer.organization ?? "").") }
        if !fields.isEmpty {
            let gets = reason == .notSignedInYet ? "At most" : "It gets"
            lines.append("     \(gets): \(fields.joined(separator: ", ")).")
        }
        if let classes { lines.append("     Classes that it reads with this person: \(classes).") }
        lines.append("     What changes it: \(remedy)")
        if let command = command(answer) { lines.append("       \(command)") }
        return lines.joined(separator: "\n")
    }

    /// The command that changes it, where one does.
    private func command(_ answer: ExplainAccess.Answer) -> String? {
        let app = answer.app.contains(" ") ? "\"\(answer.app)\"" : answer.app
        return switch reason {
        case .notListedForSignIn: "lanyard access allow \(app) --for sign-in"
        case .notListedForDataSharing: "lanyard access allow \(app)"
        case .accountDeactivated: "lanyard person reactivate PE-\(answer.personNumber)"
        case .connected: "lanyard sharing leave-out \(app) PE-\(answer.personNumber)"
        case .leftOut: "lanyard sharing put-back \(app) PE-\(answer.personNumber)"
        case .notShared: "lanyard sharing show \(app)"
        case .organizationClosed: "lanyard org reopen"
        case .inNoClass: "lanyard class list"
        case .consented, .notSignedInYet, .notConnected, .appRemoved, .personalAccount,
            .organizationIsNoSchool:
            nil
        }
    }
}
