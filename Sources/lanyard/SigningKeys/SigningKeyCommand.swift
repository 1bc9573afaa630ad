import ArgumentParser
import Authorization
import Directory
import Foundation
import Storage

struct SigningKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signing-key",
        abstract: "The server's own keys, with which it signs identity tokens and notifications.",
        discussion: """
            A server that runs takes a new key up by itself. Apps find it at /auth/keys half an hour before it signs, and \
            the former one for a day after it signed last, so that no token breaks.
            """,
        subcommands: [SigningKeyListCommand.self, SigningKeyRotateCommand.self])
}

struct SigningKeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the keys.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reports = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.read { SigningKeyReport.all(try SigningKeys.list(in: $0), at: now) }
        }
        try output.print(reports) {
            if reports.isEmpty { return "There is no signing key yet. `lanyard serve` makes the first when it starts." }
            return Table.text(
                ["KEY", "STATE", "SIGNS FROM", "MADE"],
                reports.map {
                    [$0.keyID, $0.state.rawValue, "\($0.signsFrom.minuteText) UTC", "\($0.createdAt.minuteText) UTC"]
                })
        }
    }
}

struct SigningKeyRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Make a new key.",
        discussion: """
            It signs in half an hour, when every app has had time to fetch it. With --now it signs at once: apps that do \
            not look for a key they have not seen refuse people for up to a quarter of an hour.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Let it sign at once, because somebody may have the former one.")
    var now = false

    func run() async throws {
        let isUrgent = now
        let reports = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            _ = try await SigningKeys.add(
                signingFrom: isUrgent ? nil : now.addingTimeInterval(SigningKeys.notice), to: deployment.database,
                under: deployment.masterKey, surroundings: deployment.surroundings, by: .operator, origin: .commandLine)
            return try await deployment.database.read { SigningKeyReport.all(try SigningKeys.list(in: $0), at: now) }
        }
        try output.print(reports) {
            "Made \(reports.last?.keyID ?? ""), which signs from \(reports.last?.signsFrom.minuteText ?? "") UTC."
        }
    }
}

/// What commands print of a signing key.
struct SigningKeyReport: Encodable, Sendable {
    enum State: String, Encodable, Sendable {
        case signing
        /// Published, and signs later.
        case next
        /// Published for the tokens that it signed.
        case former
        case retired
    }

    let keyID: String
    let state: State
    let signsFrom: Date
    let createdAt: Date

    static func all(_ keys: [SigningKeys.Listed], at now: Date) -> [SigningKeyReport] {
        let current = keys.lastIndex { $0.signsFrom <= now } ?? 0
        return keys.enumerated().map { index, key in
            let isOver =
                keys.indices.contains(index + 1)
                && keys[index + 1].signsFrom.addingTimeInterval(SigningKeys.retention) <= now
            return SigningKeyReport(
                keyID: key.keyID,
                state: index == current ? .signing : index > current ? .next : isOver ? .retired : .former,
                signsFrom: key.signsFrom, createdAt: key.createdAt)
        }
    }
}
