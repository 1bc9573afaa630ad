import Administration
import ServiceLifecycle

/// Looks whether something is wrong with the server itself, until it stops.
struct Checkup: Service {
    let examination: ServerExamination
    let condition: ServerCondition
    let interval: Duration

    /// How long after the start it is looked for the first time at what is around the server: a proxy may start later.
    private static let settling: Duration = .seconds(60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            condition.note(await examination(withNetwork: false))
            try? await Task.sleep(for: Self.settling)
            while !Task.isCancelled {
                condition.note(await examination(withNetwork: true))
                try? await Task.sleep(for: interval)
            }
        }
    }
}

/// Looks at what administrators of organizations should know of the server.
package struct ServerExamination: Sendable {
    private let examine: @Sendable (_ withNetwork: Bool) async -> [ServerTrouble]

    package init(_ examine: @escaping @Sendable (_ withNetwork: Bool) async -> [ServerTrouble]) {
        self.examine = examine
    }

    /// - Parameter withNetwork: whether it is also looked at what is around the server, which takes seconds.
    func callAsFunction(withNetwork: Bool) async -> [ServerTrouble] { await examine(withNetwork) }
}
