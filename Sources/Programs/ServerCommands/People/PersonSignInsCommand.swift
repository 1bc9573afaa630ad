import Administration
import ArgumentParser
import CommandOutput

struct PersonSignInsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-ins", abstract: "Show how a person signs in, and to which apps.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.ask(ShowSignIns(person: person.reference), in: person.organization.reference)
        }
        try output.print(record) { record.text }
    }
}

extension SignInRecord {
    fileprivate var text: String {
        let ways = ways.map { "\($0.text)\n\n" } ?? ""
        guard !apps.isEmpty else { return ways + "The person has signed in to no app yet." }
        return ways + Table.text(["APP", "TEAM", "SINCE (UTC)", "ADDRESS"], apps.map(\.row))
    }
}

extension SignInRecord.Ways {
    fileprivate var text: String {
        Table.fields([
            ("Passkeys", "\(passkeys)"), ("One-time codes", oneTimeCodes ? "yes" : "no"),
            ("Recovery codes left", "\(recoveryCodes)"),
        ])
    }
}

extension SignInRecord.App {
    fileprivate var row: [String] {
        [name, team, since.minuteText, address?.rawValue ?? "–"]
    }
}
