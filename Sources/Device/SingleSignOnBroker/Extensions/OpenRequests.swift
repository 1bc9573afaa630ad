/// The requests of one extension that have no answer yet, by the number under which each was sent.
struct OpenRequests<Process: ExtensionLink> {
    private var open: [UInt64: OpenRequest<Process>] = [:]
    private var lastIdentifier: UInt64 = 0
    private var lastKey: UInt64 = 0

    var isEmpty: Bool { open.isEmpty }
    var count: Int { open.count }
    var all: [OpenRequest<Process>] { open.values.sorted { $0.identifier < $1.identifier } }

    mutating func makeKey() -> UInt64 {
        lastKey += 1
        return lastKey
    }

    /// Gives the request a new number, so that reports under the former one are ignored.
    ///
    /// It is to be sent afterwards and not before: if the process has just ended, sending reports that at once, and the
    /// request must be found then.
    mutating func add(_ request: OpenRequest<Process>) {
        remove(request)
        lastIdentifier += 1
        open[lastIdentifier] = request
        request.number(as: lastIdentifier)
    }

    mutating func remove(_ request: OpenRequest<Process>) {
        if isOpen(request, as: request.identifier) { open[request.identifier] = nil }
    }

    /// Whether the request is open under this number.
    func isOpen(_ request: OpenRequest<Process>, as identifier: UInt64) -> Bool { open[identifier] === request }

    /// Whether any request was ever sent under this number.
    func wasAsked(_ identifier: UInt64) -> Bool { identifier <= lastIdentifier }

    func find(_ identifier: UInt64) -> OpenRequest<Process>? { open[identifier] }

    /// - Returns: nil if the request is over, or was sent to another process.
    func find(_ identifier: UInt64, of process: Process) -> OpenRequest<Process>? {
        open[identifier].flatMap { $0.process === process ? $0 : nil }
    }

    func find(key: UInt64) -> OpenRequest<Process>? { open.values.first { $0.key == key } }

    /// In the order in which they were sent.
    func all(of process: Process) -> [OpenRequest<Process>] { all.filter { $0.process === process } }

    func isUsed(_ process: Process) -> Bool { open.values.contains { $0.process === process } }
}
