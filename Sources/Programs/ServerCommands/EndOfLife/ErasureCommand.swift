import Administration
import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Foundation

struct ErasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erasure", abstract: "Who was erased, which apps know it, and what to do with old copies.",
        subcommands: [ErasureListCommand.self, ErasureAcknowledgeCommand.self, ErasureReplayCommand.self])
}

struct ErasureListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List erasures, by number, and the apps that have not answered that they know.",
        discussion: """
            Keep the JSON apart from the copies of the database: after such a copy was put in place, `lanyard erasure \
            replay` erases the people again who are in it, and closes the organization again if it was closed.

            For example:
              lanyard erasure list --unacknowledged
              lanyard erasure list --json > erasures.json
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Flag(help: "Only those of which some app has not answered.")
    var unacknowledged = false

    func run() async throws {
        let file = try await Deployment.administrate(global) { administrator in
            var (all, closings, after): ([ErasureRecord], [ClosingRecord]?, Int64?) = ([], nil, nil)
            repeat {
                let page = try await administrator.ask(
                    ListErasures(unacknowledged: unacknowledged ? true : nil, after: after, limit: 1_000),
                    in: organization.reference)
                all += page.erasures
                closings = closings ?? page.closings
                after = page.next
            } while after != nil
            return ErasureFile(erasures: all, closings: closings)
        }
        try output.print(file) {
            ([text(of: file.erasures)] + (file.closings ?? []).map(\.line)).joined(separator: "\n")
        }
    }

    private func text(of erasures: [ErasureRecord]) -> String {
        if erasures.isEmpty { return unacknowledged ? "All apps have answered." : "Nobody was erased." }
        return Table.text(
            ["NUMBER", "ERASED (UTC)", "APP", "ANSWER", "SINCE (UTC)"],
            erasures.flatMap { erasure -> [[String]] in
                let apps = erasure.apps.filter { !unacknowledged || $0.acknowledgedAt == nil }
                let head = ["PE-\(erasure.number)", erasure.erasedAt.minuteText]
                guard !apps.isEmpty else { return [head + ["–", "–", "–"]] }
                return apps.map { head + [$0.name, $0.state.rawValue, ($0.acknowledgedAt ?? $0.since).minuteText] }
            })
    }
}

extension ClosingRecord {
    fileprivate var line: String {
        switch action {
        case .closed:
            "The organization was closed at \(at.minuteText) UTC"
                + (erasesOn.map { ", and is erased from \($0.text) on." } ?? ".")
        case .reopened: "The organization was opened again at \(at.minuteText) UTC."
        }
    }
}

struct ErasureAcknowledgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "acknowledge",
        abstract: "Note that the makers of an app have said that they have erased a person.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The number of the record, as `lanyard erasure list` shows it.")
    var number: String

    @Argument(help: "The app: a client id, the exact name, or `app:` and its number.")
    var app: String

    func run() async throws {
        let done = try await Deployment.administrate(global) {
            try await $0.perform(
                AcknowledgeErasure(number: number, app: AppReference(app)), in: organization.reference)
        }
        try output.print(done.answer) {
            let open = done.answer.apps.filter { $0.acknowledgedAt == nil }
            return open.isEmpty
                ? "All apps know that PE-\(done.answer.number) is erased."
                : "Noted. Not answered yet: \(open.map(\.name).joined(separator: ", "))."
        }
    }
}

struct ErasureReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract:
            "Erase people again, and close organizations again, after an old copy of the database was put in place.",
        discussion: """
            Run it before the server starts. Only records are erased that have both the number and the time at which they \
            were made as in the list; no new record gets a number that is in it. An organization is closed or opened again if that \
            is newer than what the database knows. If it is closed, it is not erased within the next 7 days. Repeating it does no harm.

            For example:
              lanyard erasure replay erasures.json
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The file that `lanyard erasure list --json` has written.", completion: .file())
    var file: String

    func run() async throws {
        let list = try ErasureList(reading: file)
        let replay = try await Deployment.administrate(global) { administrator in
            var replay = ErasureReplay()
            try await replay.run(list) { try await administrator.perform($0, in: $1).answer }
            return replay
        }
        try output.print(replay) { replay.lines.joined(separator: "\n") }
    }
}
