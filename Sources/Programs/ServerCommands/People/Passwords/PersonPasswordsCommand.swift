import Administration
import ArgumentParser
import CommandOutput
import Directory
import Foundation

struct PersonPasswordsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passwords",
        abstract: "Give temporary passwords to many people at once.",
        discussion: """
            Those get one who have none yet: of a class, of a location, or of the whole organization. The passwords are \
            good for 90 days, and the first sign-in asks for one of the person's own. They are shown or written this \
            once: lost ones are replaced, with --all.

            With --letters whoever is no pupil, and has an email address in a domain that the organization has \
            verified, gets the password by mail, and by nothing else. Everybody else gets it as without --letters.

            For example:
              lanyard person passwords --role student --preview
              lanyard person passwords --role student --slips slips.pdf
              lanyard person passwords --letters --slips slips.pdf
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Option(
        name: .customLong("class"),
        help: "Only who teaches or learns in this class: its id, its name, or CL- and its number.")
    var inClass: String?

    @Option(help: "Only who holds a role at this location: its id, its name, or LO: and its number.")
    var at: String?

    @Option(help: "Only who holds this role, and at that location if one is named.")
    var role: Role?

    @Flag(help: "Also replace the passwords of those who have one. They are signed out everywhere.")
    var all = false

    @Flag(help: "Send members of staff theirs by mail, at addresses in domains that the organization has verified.")
    var letters = false

    @Flag(help: "Only say who would get a password.")
    var preview = false

    @OptionGroup var files: PasswordFileOptions

    func validate() throws {
        if all, inClass == nil, at == nil, role == nil {
            throw ValidationError("--all signs people out: say whom, with --class, --at or --role.")
        }
        if preview, files.isAny { throw ValidationError("A preview makes no passwords, so it writes no file.") }
    }

    private var change: IssuePasswords {
        IssuePasswords(
            class: inClass.map(ClassReference.init), at: at.map(LocationReference.init), role: role,
            all: all ? true : nil, letters: letters ? true : nil)
    }

    func run() async throws {
        guard !preview else { return try await showPreview() }
        let files = try await files.create(global)
        let issued: IssuedPasswords
        do {
            let progress = CountedProgress(of: "passwords")
            defer { progress.end() }
            issued = try await Deployment.administrate(
                global, tellsOfPasswords: all || letters, progress: { progress.show(done: $0, of: $1) }
            ) { try await $0.perform(change, in: organization.reference).answer }
        } catch {
            files.delete()
            throw error
        }
        guard !files.isEmpty, !issued.people.isEmpty else {
            files.delete()
            return try output.print(issued) { issued.text }
        }
        let remarks: [String]
        do {
            remarks = try files.write(issued)
        } catch {
            // They are given already, and would be lost.
            try output.print(issued) { issued.text }
            throw error
        }
        let report = PasswordsReport(issued, files.paths, remarks)
        try output.print(report) { report.text }
    }

    private func showPreview() async throws {
        let preview = try await Deployment.administrate(global, tellsOfPasswords: letters) {
            try await $0.preview(change, in: organization.reference)
        }
        try output.print(preview) {
            let count = preview.counts.values.reduce(0, +)
            guard count > 0 else { return "Nobody would get a password." }
            let more = count - preview.effects.count
            return "\(IssuedPasswords.people(count)) would get a password:\n"
                + preview.effects.map { "  \($0.name)\($0.isLetter ? ", by mail" : "")" }.joined(separator: "\n")
                + (more > 0 ? "\n  and \(more) more" : "")
        }
    }
}

extension Effect {
    fileprivate var isLetter: Bool { action == AuditEntry.Action.passwordMailed.rawValue }
}
