import Administration
import ArgumentParser
import CommandOutput

struct RoleRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take a role from a person.",
        discussion: "The next import brings back a role that its files give.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    @OptionGroup var held: HeldRoleArguments

    func run() async throws {
        let report = try await person.perform({ RemoveRole(person: $0, role: held.role, at: held.place) }, global)
        try output.print(report) { report.text }
    }
}
