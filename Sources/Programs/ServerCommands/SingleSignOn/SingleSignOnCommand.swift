import ArgumentParser
import CommandOutput
import Foundation

/// `lanyard sso …`: where the programs of devices are installed beside the server's, another name of `lanyard-sso`.
struct SingleSignOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sso",
        abstract: "Single sign-on on this device: the same as lanyard-sso. `lanyard sso demo` plays a scene of it.",
        subcommands: [SingleSignOnDemoCommand.self])

    /// What `lanyard-sso` is to be called with; nil if the command is the server program's own.
    ///
    /// It is asked before anything is parsed, so that options, help and exit codes are those of `lanyard-sso`.
    /// - Parameter arguments: of the process, its own name first.
    static func passedOn(_ arguments: [String]) -> [String]? {
        guard arguments.count > 1, arguments[1] == "sso" else { return nil }
        let rest = Array(arguments[2...])
        return rest.first == "demo" ? nil : rest
    }

    /// Becomes `lanyard-sso`, which is looked for beside this program and then in the PATH. Returns only if there is none.
    /// - Throws: ``Failure``
    static func become(_ arguments: [String]) throws -> Never {
        let name = "lanyard-sso"
        var words = ([name] + arguments).map { strdup($0) } + [nil]
        execv(InstalledProgram.pathBesideThis(name), &words)
        execvp(name, &words)
        throw Failure("`lanyard sso` is the program \(name), which is not installed here. It belongs to devices.")
    }
}
