import Administration
import ArgumentParser
import CommandOutput
import Directory

struct PickUpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick-up", abstract: "Folders whose files the server imports once a day.",
        discussion: """
            An information system puts its files there, for example by SFTP. The folders lie below the server's setting \
            pickUpFolder; without it nothing is read.
            """,
        subcommands: [
            PickUpSetCommand.self, PickUpListCommand.self, PickUpShowCommand.self, PickUpReadCommand.self,
            PickUpRemoveCommand.self,
        ])
}

/// The number of a pick-up, for commands that are about one.
struct PickUpArgument: ParsableArguments {
    @Argument(help: "The number of the pick-up, as `lanyard pick-up list` shows it.")
    var pickUp: Int64
}

struct PickUpListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the folders, with what came of each the last time.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListPickUps(), in: organization.reference)
        }
        try output.print(answer) {
            if answer.pickUps.isEmpty { return "No folder is read." }
            let table = Table.text(
                ["PICK-UP", "SCHOOL", "HOUR (UTC)", "DUE (UTC)", "READ (UTC)", "OUTCOME"],
                answer.pickUps.map {
                    [
                        "\($0.pickUp)", $0.school ?? "–", "\($0.hour)", $0.dueAt.minuteText,
                        $0.readAt?.minuteText ?? "–", $0.outcome?.rawValue ?? "–",
                    ]
                })
            return answer.folder == nil ? "\(table)\n\n\(PickUpRecord.noFolder)" : table
        }
    }
}

struct PickUpShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a folder, with what came of it the last time.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var number: PickUpArgument

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ShowPickUp(pickUp: number.pickUp), in: organization.reference)
        }
        try output.print(answer) {
            let report = answer.last?.report?.text(options: global.again(in: organization))
            return [answer.pickUp.text, answer.last?.problem, report].compactMap(\.self).joined(separator: "\n\n")
        }
    }
}

struct PickUpSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Have the files of a folder imported once a day, or change when.",
        discussion: """
            There is one for the whole organization, and one for each school that has files of its own.

            For example:
              lanyard pick-up set --hour 2 --key "ssh-ed25519 AAAA…"
              lanyard pick-up set --hour 3 --school high
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Option(help: "The hour of the day at which the folder is read, in UTC, from 0 to 23.")
    var hour: Int

    @Option(
        help: ArgumentHelp(
            """
            The files are those of this school alone: its location_id, name, or LO: and number. The whole organization if \
            it is left out.
            """, valueName: "location"))
    var school: String?

    @Option(
        help: """
            The public key with which the information system sends files by SFTP, as OpenSSH writes it. None if they come \
            otherwise.
            """)
    var key: String?

    func run() async throws {
        let change = SetPickUp(school: school.map { LocationReference($0) }, hour: hour, key: key)
        let record = try await Deployment.administrate(global) {
            try await $0.perform(change, in: organization.reference).answer
        }
        try output.print(record) { record.text }
    }
}

struct PickUpReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Have a folder read now, and not only at its hour.",
        discussion: """
            The server, which has to run, reads it within a minute. Files count once nobody has written to them for a minute.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var number: PickUpArgument

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(ReadPickUp(pickUp: number.pickUp), in: organization.reference).answer
        }
        try output.print(record) {
            "The server reads it within a minute. What came of it, `lanyard pick-up show \(record.pickUp)` says."
        }
    }
}

struct PickUpRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Have a folder read no more. What lies in it stays.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var number: PickUpArgument

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(RemovePickUp(pickUp: number.pickUp), in: organization.reference).answer
        }
        try output.print(record) { "Pick-up \(record.pickUp) is read no more. What lies in its folder stays." }
    }
}

extension PickUpRecord {
    fileprivate static let noFolder = "Nothing is read until the server has the setting pickUpFolder."

    fileprivate var text: String {
        let fields = Table.fields([
            ("Pick-up", "\(pickUp)"), ("School", school), ("Hour (UTC)", "\(hour)"), ("Account", account),
            ("Folder", folder), ("Key", key), ("Due (UTC)", dueAt.minuteText), ("Read (UTC)", readAt?.minuteText),
            ("Outcome", outcome?.rawValue), ("Errors", errors > 0 ? "\(errors)" : nil),
        ])
        return folder == nil ? "\(fields)\n\n\(Self.noFolder)" : fields
    }
}
