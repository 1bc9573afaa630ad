import CommandOutput
import Foundation
import Ground

/// The terminal of the person who has started the command.
struct OwnTerminal: SetupTerminal {
    /// Whether somebody is there to be asked.
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    func say(_ text: String) { printToStandardError(text) }

    func line(_ prompt: String, hidden: Bool) -> String? {
        StandardOutput.error.write(prompt.printable().utf8)
        return hidden ? Self.hidingInput { readLine() } : readLine()
    }

    /// The settings of the terminal while an answer is hidden, for the handler of signals.
    nonisolated(unsafe) private static var before = termios()

    private static func hidingInput(_ body: () -> String?) -> String? {
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        // The terminal has to show again what is typed, also after Ctrl-C.
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            signal(number) { number in
                tcsetattr(STDIN_FILENO, TCSANOW, &OwnTerminal.before)
                _exit(128 + number)
            }
        }
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO)
        hidden.c_lflag |= tcflag_t(ECHONL)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { signal(number, SIG_DFL) }
        }
        return body()
    }
}
