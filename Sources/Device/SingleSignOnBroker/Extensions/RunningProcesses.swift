/// The processes of one extension: the present one, and earlier ones that have not ended yet.
struct RunningProcesses<Process: AnyObject> {
    /// The process that new requests go to; nil if none runs.
    private(set) var current: Process?
    /// The present process, and earlier ones with open requests. Their reports count.
    private var heard: [Process] = []
    /// Processes that were told to end, until they are killed.
    private var leaving: [Process] = []

    /// All processes, also those that were told to end.
    var all: [Process] { heard + leaving }

    /// Whether the reports of a process count: it was not let go.
    func isHeard(_ process: Process) -> Bool { heard.contains { $0 === process } }

    /// Adds a process, to which requests go from now on.
    mutating func start(_ process: Process) {
        heard.append(process)
        current = process
    }

    /// Sends no further request to the present process.
    /// - Returns: the process; nil if there was none.
    mutating func retire() -> Process? {
        defer { current = nil }
        return current
    }

    /// Sends no further request to this process, if it is the present one.
    mutating func retire(_ process: Process) {
        if current === process { current = nil }
    }

    /// Ignores the reports of a process from now on.
    /// - Returns: whether they counted until now. If so, the process is to be told to end.
    mutating func letGo(_ process: Process) -> Bool {
        guard isHeard(process) else { return false }
        heard.removeAll { $0 === process }
        leaving.append(process)
        return true
    }

    /// Removes a process that was killed.
    mutating func forget(_ process: Process) { leaving.removeAll { $0 === process } }

    mutating func forgetAll() { (current, heard, leaving) = (nil, [], []) }
}
