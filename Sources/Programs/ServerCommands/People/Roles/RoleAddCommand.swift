import Administration
import ArgumentParser
import CommandOutput

struct RoleAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Give a person a role.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    @OptionGroup var held: HeldRoleArguments

    func run() async throws {
        let report = try await person.perform({ AddRole(person: $0, role: held.role, at: held.place) }, global)
        try output.print(report) { report.text }
    }
}
