import Administration
import ArgumentParser
import CommandOutput

struct ConsentListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the consents, oldest first, those that have ended too.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Flag(help: "Only those that are alive.")
    var alive = false

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListConsents(onlyAlive: alive ? true : nil), in: organization.reference)
        }
        try output.print(answer) {
            let term = "Consents that are given now last \(answer.term.consentTermWords)."
            if answer.consents.isEmpty {
                return (alive ? "No consent is alive. " : "No consent was given yet. ") + term
            }
            let refusals = answer.consents.compactMap { consent in consent.refusal.map { "\(consent.app): \($0)." } }
            return Table.text(ConsentRecord.head, answer.consents.map(\.row)) + "\n\n"
                + (refusals + [term]).joined(separator: "\n")
        }
    }
}

struct ConsentShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the consent for an app: the one that is alive, or the last one.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var app: SharedAppArgument

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.ask(ShowConsent(app: app.reference), in: app.organization.reference)
        }
        try output.print(record) { record.text }
    }
}
