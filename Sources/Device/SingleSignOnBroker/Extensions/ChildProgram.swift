import CLinux
import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Starts programs for the broker.
///
/// Each program leads a process group of its own and inherits no descriptors but those that it is given. It is a
/// subreaper: if a process that it has started ends, it becomes the parent of that process's children
/// (`PR_SET_CHILD_SUBREAPER`).
enum ChildProgram {
    struct CannotSpawn: Error {
        let number: Int32
    }

    /// - Parameters:
    ///   - environment: nil means the environment of this process.
    ///   - descriptors: descriptors of this process, and the number that each gets in the program. Standard input is
    ///     empty, and an output that is not named is discarded.
    /// - Returns: the process's number. ``reap(_:tell:)`` is to follow.
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

    /// Waits for the end of a process on a thread of its own, so that it does not stay behind as a zombie.
    /// - Parameter tell: called on that thread with words on how the process ended: its exit status or the signal.
    static func reap(_ processIdentifier: Int32, tell: @escaping @Sendable (String) -> Void = { _ in }) {
        BlockingThread.start {
            var status: Int32 = 0
            var waited = waitpid(processIdentifier, &status, 0)
            while waited < 0, errno == EINTR { waited = waitpid(processIdentifier, &status, 0) }
            if waited == processIdentifier { tell(end(status)) }
        }
    }

    /// Describes a status of waitpid(2).
    private static func end(_ status: Int32) -> String {
        let signal = status & 0x7f
        return signal == 0
            ? "exit status \(status >> 8 & 0xff)" : "signal \(signal), \(String(cString: strsignal(signal)))"
    }
}
