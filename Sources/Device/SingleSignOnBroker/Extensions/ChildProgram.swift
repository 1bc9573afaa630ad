import CLinux
import Foundation
import Ground

#if canImport(Glibc)
    import Glibc
#endif

/// Programs that the broker starts: each leads a group of its own, inherits nothing but what it is given, and becomes the
/// parent of what it has started through others that have ended.
enum ChildProgram {
    struct CannotSpawn: Error {
        let number: Int32
    }

    /// - Parameters:
    ///   - environment: nil for this process's own.
    ///   - descriptors: of this process, and what each becomes there. Standard input is empty; what is not named of the
    ///     outputs is thrown away.
    static func spawn(
        _ executable: String, _ arguments: [String], environment: [String: String]? = nil,
        descriptors: [(own: Int32, theirs: Int32)] = []
    ) throws(CannotSpawn) -> Int32 {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { throw CannotSpawn(number: errno) }
        defer { close(nothing) }
        var table = [Int32](repeating: nothing, count: max(2, descriptors.map { Int($0.theirs) }.max() ?? 2) + 1)
        for (own, theirs) in descriptors { table[Int(theirs)] = own }

        let environment = environment ?? ProcessInfo.processInfo.environment
        let words = ([executable] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var processIdentifier: pid_t = 0
        let status = lanyard_spawn(&processIdentifier, executable, words, variables, table, Int32(table.count))
        guard status == 0 else { throw CannotSpawn(number: status) }
        return processIdentifier
    }

    /// Waits for the end of a process on a thread of its own, so that none stays behind as a zombie.
    /// - Parameter tell: called on that thread, with how it ended: its exit status, or the signal.
    static func reap(_ processIdentifier: Int32, tell: @escaping @Sendable (String) -> Void = { _ in }) {
        BlockingThread.start {
            var status: Int32 = 0
            var waited = waitpid(processIdentifier, &status, 0)
            while waited < 0, errno == EINTR { waited = waitpid(processIdentifier, &status, 0) }
            if waited == processIdentifier { tell(end(status)) }
        }
    }

    /// A status of waitpid(2) in words.
    private static func end(_ status: Int32) -> String {
        let signal = status & 0x7f
        return signal == 0
            ? "exit status \(status >> 8 & 0xff)" : "signal \(signal), \(String(cString: strsignal(signal)))"
    }
}
