import CLinux
import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Programs that the broker starts: each leads a group of its own, and inherits nothing but what it is given.
enum ChildProgram {
    struct CannotSpawn: Error {
        let number: Int32
    }

    /// - Parameters:
    ///   - environment: nil for this process's own.
    ///   - descriptors: of this process, and what each becomes there, in that order. Standard input is empty; what is not
    ///     named of the outputs is thrown away.
    static func spawn(
        _ executable: String, _ arguments: [String], environment: [String: String]? = nil,
        descriptors: [(own: Int32, theirs: Int32)] = []
    ) throws(CannotSpawn) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for output: Int32 in [1, 2] where !descriptors.contains(where: { $0.theirs == output }) {
            posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
        }
        for (own, theirs) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, theirs) }
        posix_spawn_file_actions_addclosefrom_np(&actions, max(2, descriptors.map(\.theirs).max() ?? 2) + 1)
        posix_spawn_file_actions_addchdir_np(&actions, "/")

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGTERM, SIGINT] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        let environment = environment ?? ProcessInfo.processInfo.environment
        var words = ([executable] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var processIdentifier: pid_t = 0
        let status = posix_spawn(&processIdentifier, executable, &actions, &attributes, &words, &variables)
        guard status == 0 else { throw CannotSpawn(number: status) }
        return processIdentifier
    }

    /// Waits for the end of a process on a thread of its own, so that none stays behind as a zombie.
    /// - Parameter tell: called on that thread, with how it ended: its exit status, or the signal.
    static func reap(_ processIdentifier: Int32, tell: @escaping @Sendable (String) -> Void = { _ in }) {
        Thread.detachNewThread {
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
