import Logging

#if canImport(Glibc)
    import Glibc
#endif

/// How the journal is told the level of a line: by a number in front of it, which it takes away. sd-daemon(3).
package enum JournalPriority {
    /// `<4>` for a warning; nothing if the standard error goes elsewhere, where nobody would know what the number means.
    package static func prefix(of level: Logger.Level) -> String { isJournal ? "<\(number(of: level))>" : "" }

    /// Whether the standard error is the journal's socket. systemd.exec(5), `JOURNAL_STREAM`.
    private static let isJournal: Bool = {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }()

    /// The priority of syslog(3).
    private static func number(of level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
