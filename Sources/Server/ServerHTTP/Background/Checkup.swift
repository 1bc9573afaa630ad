import Administration
import Logging
import ServiceLifecycle

/// Looks whether something is wrong with the server itself, until it stops.
struct Checkup: Service {
    /// - Parameter around: whether it is also looked at what is around the server, which takes seconds.
    typealias Examine = @Sendable (_ around: Bool) async -> [ServerTrouble]

    let examine: Examine
    let condition: ServerCondition
    let interval: Duration
    /// After the start, until it is looked for the first time at what is around the server: a proxy may start later. And
    /// before it is looked again at what seems to be wrong, because a mail server may be away for a moment.
    var settling: Duration = .seconds(60)
    let logger: Logger

    /// A look may wait for a name server. The server does not wait for the look when it is to stop.
    func run() async throws {
        let looking = Task { await look() }
        try? await gracefulShutdown()
        looking.cancel()
    }

    private func look() async {
        note(await examine(false))
        try? await Task.sleep(for: settling)
        while !Task.isCancelled {
            var found = await examine(true)
            if !Set(found).isSubset(of: condition.troubles) {
                try? await Task.sleep(for: settling)
                found = await examine(true)
            }
            note(found)
            try? await Task.sleep(for: interval)
        }
    }

    private func note(_ found: [ServerTrouble]) {
        guard found != condition.troubles else { return }
        condition.note(found)
        if found.isEmpty {
            logger.notice("nothing is wrong with the server any more")
        } else {
            logger.warning(
                "something is wrong with the server: the doctor says more",
                metadata: ["troubles": "\(found.map(\.rawValue).joined(separator: " "))"])
        }
    }
}
