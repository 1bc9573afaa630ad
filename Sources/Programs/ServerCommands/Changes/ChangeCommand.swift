import Administration
import ArgumentParser
import CommandOutput

struct ChangeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "What administrators have changed, and how to take it back.",
        subcommands: [ChangeListCommand.self, ChangeUndoCommand.self])
}

struct ChangeListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the changes that can be taken back, the newest first.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Option(help: "Begin before this one: the number that the page before ended with.")
    var before: Int64?

    @Option(help: "How many to show.")
    var limit = 100

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListChanges(before: before, limit: limit), in: organization.reference)
        }
        try output.print(answer) { answer.text }
    }
}

extension ListChanges.Answer {
    var text: String { ChangeSummary.text(changes, next: next) }
}

extension ListTeamChanges.Answer {
    var text: String { ChangeSummary.text(changes, next: next) }
}

extension ChangeSummary {
    fileprivate static func text(_ changes: [ChangeSummary], next: Int64?) -> String {
        if changes.isEmpty { return "Nothing that could be taken back." }
        return Table.text(
            ["CHANGE", "AT (UTC)", "BY", "OPERATION", "OF", "TAKEN BACK"],
            changes.map {
                ["\($0.change)", $0.at.minuteText, $0.actor, $0.operation, $0.subject, $0.undoneAt?.minuteText ?? "–"]
            }) + (next.map { "\n\nThere is more: --before \($0)" } ?? "")
    }
}

struct ChangeUndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take a change back.",
        discussion: """
            It is refused if what the change was about was changed again since. It needs the same privilege as the \
            change itself, and is written into the audit trail like it.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The number of the change, as `lanyard change list` shows it.")
    var change: Int64

    func run() async throws {
        let effects = try await Deployment.administrate(global) {
            try await $0.undo(change, in: organization.reference)
        }
        try output.print(["effects": effects]) {
            (["Change \(change) is taken back:"] + effects.map { "  \($0.name): \($0.detail)" }).joined(separator: "\n")
        }
    }
}
