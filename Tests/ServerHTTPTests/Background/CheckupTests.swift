import Administration
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import ServerHTTP
@testable import TestServers

/// The server looks at itself.
@Suite struct CheckupTests {
    /// What each look finds, one after the other; the last of them again and again.
    private final class Finds: Sendable {
        private let answers: [[ServerTrouble]]
        private let asked = Mutex<[Bool]>([])

        init(_ answers: [[ServerTrouble]]) { self.answers = answers }

        /// Whether it was looked around the server too, for each look.
        var looks: [Bool] { asked.withLock { $0 } }

        func look(_ around: Bool) -> [ServerTrouble] {
            asked.withLock { asked in
                asked.append(around)
                return answers[min(asked.count, answers.count) - 1]
            }
        }
    }

    /// Runs a checkup until it has looked so often, and stops it.
    /// - Returns: what was known after each look.
    private static func run(_ finds: Finds, looks: Int) async throws -> [[ServerTrouble]] {
        let condition = ServerCondition()
        let known = Mutex<[[ServerTrouble]]>([])
        let checkup = Checkup(
            examine: { around in
                known.withLock { $0.append(condition.troubles) }
                return finds.look(around)
            }, condition: condition, interval: .milliseconds(20), settling: .milliseconds(20),
            logger: Logger(label: "checkup") { _ in SwiftLogNoOpLogHandler() })
        let group = ServiceGroup(
            configuration: .init(services: [checkup], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            while finds.looks.count < looks { try await Task.sleep(for: .milliseconds(5)) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        return known.withLock { $0 }
    }

    @Test("it looks at the machine first, and tells what is found there at once")
    func here() async throws {
        let finds = Finds([[.backup], [.backup], [.backup], []])
        let known = try await Self.run(finds, looks: 5)
        #expect(finds.looks.prefix(4) == [false, true, true, true])
        // What is known before each look: the fourth finds nothing any more.
        #expect(known.prefix(5) == [[], [.backup], [.backup], [.backup], []])
    }

    @Test("what is new is told when it is still so after a while")
    func twice() async throws {
        // A mail server that is away for a moment, and then for longer.
        let finds = Finds([[], [.mailServer], [], [.mailServer], [.mailServer], [.mailServer]])
        let known = try await Self.run(finds, looks: 6)
        #expect(known.prefix(6) == [[], [], [], [], [], [.mailServer]])
    }

    @Test("a look that takes long does not keep the server from stopping")
    func stops() async throws {
        let finds = Finds([[]])
        let checkup = Checkup(
            examine: { around in
                _ = finds.look(around)
                // As a thread that waits for a name server: it does not hear that it is to end.
                if around { await Task { try? await Task.sleep(for: .seconds(600)) }.value }
                return []
            }, condition: ServerCondition(), interval: .milliseconds(1), settling: .milliseconds(1),
            logger: Logger(label: "checkup") { _ in SwiftLogNoOpLogHandler() })
        let group = ServiceGroup(
            configuration: .init(services: [checkup], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            while finds.looks.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(finds.looks == [false, true])
    }
}
