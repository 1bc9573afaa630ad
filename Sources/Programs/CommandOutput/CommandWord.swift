#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// How the reader of messages runs the commands that they name.
///
/// All messages name them as `lanyard …`. Whoever looks after a server that a package has put there runs them as `lanyardctl …`, and starts
/// the server by systemd. This is the only place that knows it: what prints or mails a message asks it for the words of the reader.
package enum CommandWord {
    package static let packagedSettings = "/etc/lanyard/lanyard.json"
    private static let packagedCommand = "/usr/sbin/lanyardctl"

    /// Whether this process works for a server that a package has put on this machine. A container has the same settings, and neither
    /// `lanyardctl` nor systemd.
    package static let isPackaged = isPackaged(
        arguments: CommandLine.arguments, environment: ProcessInfo.processInfo.environment,
        hasCommand: access(packagedCommand, X_OK) == 0)

    static func isPackaged(arguments: [String], environment: [String: String], hasCommand: Bool) -> Bool {
        var settings = environment["LANYARD_CONFIG"]
        for (place, argument) in arguments.enumerated() {
            if argument == "--config", place + 1 < arguments.count { settings = arguments[place + 1] }
            if argument.hasPrefix("--config=") { settings = String(argument.dropFirst("--config=".count)) }
        }
        return hasCommand && settings == packagedSettings
    }
}

extension String {
    /// The text with commands as its reader runs them. Commands stand in backquotes, or behind two spaces, as in tables and examples.
    package func namingCommands(packaged: Bool = CommandWord.isPackaged) -> String {
        guard packaged else { return self }
        return ["`", "  ", "USAGE: ", "Usage: ", "See '"].reduce(
            replacing("`lanyard serve`", with: "`systemctl start lanyard`")
        ) { text, before in text.replacing("\(before)lanyard ", with: "\(before)lanyardctl ") }
    }
}
