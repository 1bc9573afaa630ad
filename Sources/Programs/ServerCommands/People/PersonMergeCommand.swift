import Administration
import ArgumentParser
import CommandOutput

struct PersonMergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Make two records of one person one.",
        discussion: """
            The first record is kept, with its user name and password. It gets the roles, classes and registered \
            devices of the other, and its person id if it has none itself. The other is deactivated: the apps that saw \
            it are told that it has left, and what they keep of it stays apart. --dry-run says what would move; \
            `lanyard change undo` takes it back.

            For example:
              lanyard person merge ana.nunez@maple.example S-1001 --dry-run
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    @Argument(help: "The record that is given up: user name, person id, or number.")
    var other: String

    @Flag(help: "Say what would move, and change nothing.")
    var dryRun = false

    func run() async throws {
        let merge = MergePeople(person: person.reference, other: PersonReference(other))
        if dryRun {
            let preview = try await Deployment.administrate(global) {
                try await $0.preview(merge, in: person.organization.reference)
            }
            return try output.print(preview) {
                (["Nothing is changed. This would be:"] + preview.effects.map { "  \($0.name): \($0.detail)" })
                    .joined(separator: "\n")
            }
        }
        let done = try await Deployment.administrate(global) {
            try await $0.perform(merge, in: person.organization.reference)
        }
        try output.print(done.answer) { Self.text(done) }
    }

    private static func text(_ done: Done<MergePeople.Answer>) -> String {
        let (kept, other) = (done.answer.person, done.answer.other)
        let undo = done.change.map { "; `lanyard change undo \($0)` takes it back" } ?? ""
        let apps = done.answer.apps.map { app in
            "\(app.name) is told that \(other.userName) has left"
                + (app.knowsBoth
                    ? ". It has data of \(kept.userName) too, which only its makers can bring together." : ".")
        }
        return
            (["\(other.userName) is merged into \(kept.userName)\(undo)."]
            + done.effects.map { "  \($0.name): \($0.detail)" } + apps + [done.answer.notice].compactMap(\.self))
            .joined(separator: "\n")
    }
}
