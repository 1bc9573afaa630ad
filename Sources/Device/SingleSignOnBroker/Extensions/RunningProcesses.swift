/// The processes of one extension: the one that is asked, and earlier ones on their way out.
struct RunningProcesses<Process: AnyObject> {
    /// What requests go to.
    private(set) var current: Process?
    /// That, and others that have something open: what they say counts.
    private var heard: [Process] = []
    /// Those that were told to end, until they must have.
    private var leaving: [Process] = []

    /// Everything that runs, also to its end alone.
    var all: [Process] { heard + leaving }

    /// Whether what a process says counts: it was not let go.
    func isHeard(_ process: Process) -> Bool { heard.contains { $0 === process } }

    /// Requests go to it from now on.
    mutating func start(_ process: Process) {
        heard.append(process)
        current = process
    }

    /// No further request goes to the process that is asked.
    /// - Returns: it.
    mutating func retire() -> Process? {
        defer { current = nil }
        return current
    }

    /// No further request goes to this one, if any did.
    mutating func retire(_ process: Process) {
        if current === process { current = nil }
    }

    /// What it says does not count any more.
    /// - Returns: whether it did until now; then it is to be told to end.
    mutating func letGo(_ process: Process) -> Bool {
        guard isHeard(process) else { return false }
        heard.removeAll { $0 === process }
        leaving.append(process)
        return true
    }

    /// It has ended, or was killed.
    mutating func forget(_ process: Process) { leaving.removeAll { $0 === process } }

    mutating func forgetAll() { (current, heard, leaving) = (nil, [], []) }
}
