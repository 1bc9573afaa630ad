import Administration
import ArgumentParser
import CommandOutput

struct PersonSignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Sign a person out of everything: browsers, apps, and devices that wait to be signed in.",
        discussion: """
            For a stolen token or a lost laptop. The password stays as it is; if somebody else may know it, run \
            `lanyard person password` instead, which signs the person out as well. The apps that the person uses are \
            notified, and the next sign-in to each asks for consent again. Registered devices stay, unless you say \
            --devices.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    @Flag(help: "Remove the person's registered devices too.")
    var devices = false

    func run() async throws {
        let result = try await person.perform({ SignOutPerson(person: $0, devices: devices) }, global)
        try output.print(result) { Self.text(result) }
    }

    private static func text(_ result: SignOutPerson.Answer) -> String {
        func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
        let removed = result.devices > 0 ? ", and \(counted(result.devices, "device")) removed" : ""
        return """
            \(result.person.fullName) (\(result.person.userName)) is signed out of \
            \(counted(result.sessions, "browser")) and \(counted(result.apps, "app"))\(removed).
            """
    }
}
