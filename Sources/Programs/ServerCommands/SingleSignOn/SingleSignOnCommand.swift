import ArgumentParser
import CommandOutput
import Foundation

/// `lanyard sso …`: the same as `lanyard-sso`, if the programs of devices are installed as well.
struct SingleSignOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sso",
        abstract: "Single sign-on on this device: the same as lanyard-sso. `lanyard sso demo` plays a scene of it.",
        subcommands: [SingleSignOnDemoCommand.self])

    /// The arguments for `lanyard-sso`; nil if the command is one of `lanyard` itself.
    ///
    /// Called before arguments are parsed, so that options, help and exit codes are those of `lanyard-sso`.
    /// - Parameter arguments: the arguments of the process, beginning with its name.
    static func passedOn(_ arguments: [String]) -> [String]? {
        guard arguments.count > 1, arguments[1] == "sso" else { return nil }
        let rest = Array(arguments[2...])
        return rest.first == "demo" ? nil : rest
    }

    /// Replaces this process by `lanyard-sso`, which is searched for beside this program and then in the PATH.
    /// - Throws: ``Failure`` if `lanyard-sso` is not installed.
    static func become(_ arguments: [String]) throws -> Never {
        let name = "lanyard-sso"
        var words = ([name] + arguments).map { strdup($0) } + [nil]
        execv(InstalledProgram.pathBesideThis(name), &words)
        execvp(name, &words)
        throw Failure("`lanyard sso` is the program \(name), which is not installed here. It belongs to devices.")
    }
}
