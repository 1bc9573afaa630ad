/// The requests of one extension that have no answer yet, by the number that each has for its process.
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

    /// Asks its process, under a new number: what is said under the one before counts no more.
    mutating func begin(_ request: OpenRequest<Process>) {
        remove(request)
        lastIdentifier += 1
        open[lastIdentifier] = request
        request.begin(as: lastIdentifier)
    }

    mutating func remove(_ request: OpenRequest<Process>) {
        if isOpen(request, as: request.identifier) { open[request.identifier] = nil }
    }

    /// Whether it waits for what is said under this number.
    func isOpen(_ request: OpenRequest<Process>, as identifier: UInt64) -> Bool { open[identifier] === request }

    /// Whether any process was ever asked under it.
    func wasAsked(_ identifier: UInt64) -> Bool { identifier <= lastIdentifier }

    func find(_ identifier: UInt64) -> OpenRequest<Process>? { open[identifier] }

    /// - Returns: nil if the process was not asked under this number, or it is over.
    func find(_ identifier: UInt64, of process: Process) -> OpenRequest<Process>? {
        open[identifier].flatMap { $0.process === process ? $0 : nil }
    }

    func find(key: UInt64) -> OpenRequest<Process>? { open.values.first { $0.key == key } }

    /// In the order in which they were asked.
    func all(of process: Process) -> [OpenRequest<Process>] { all.filter { $0.process === process } }

    func isUsed(_ process: Process) -> Bool { open.values.contains { $0.process === process } }
}
