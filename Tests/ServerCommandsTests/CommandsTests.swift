import ArgumentParser
import Directory
import Foundation
import Testing

@testable import ServerCommands

@Suite("The commands of `lanyard`")
struct CommandsTests {
    private static func all(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands.flatMap { [$0] + all(below: $0) }
    }

    @Test("Each says in one sentence what it does, and no two beside each other have one name")
    func abstracts() {
        let commands = Self.all(below: Lanyard.self)
        #expect(commands.count > 60)
        for command in commands {
            #expect(command.configuration.abstract.hasSuffix("."), "\(command)")
            let names = command.configuration.subcommands.map { $0.configuration.commandName ?? "" }
            #expect(Set(names).count == names.count && !names.contains(""), "\(command)")
        }
    }

    @Test("Words with underscores are written with hyphens, and only so listed")
    func hyphens() throws {
        for role in Role.allCases {
            let word = role.rawValue.replacingOccurrences(of: "_", with: "-")
            #expect(Role(argument: word) == role)
            #expect(Role.allValueStrings.contains(word))
        }
        #expect(Role(argument: "head-of-everything") == nil)
    }

    @Test("`lanyard sso` is passed on whole, except for its demo")
    func passedOn() {
        #expect(SingleSignOnCommand.passedOn(["lanyard", "sso", "status", "--json"]) == ["status", "--json"])
        #expect(SingleSignOnCommand.passedOn(["lanyard", "sso"]) == [])
        #expect(SingleSignOnCommand.passedOn(["lanyard", "sso", "--help"]) == ["--help"])
        #expect(SingleSignOnCommand.passedOn(["lanyard", "sso", "demo", "--port", "1"]) == nil)
        #expect(SingleSignOnCommand.passedOn(["lanyard", "serve", "sso"]) == nil)
        #expect(SingleSignOnCommand.passedOn(["lanyard"]) == nil)
    }
}
