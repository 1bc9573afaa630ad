import Foundation
import Ground
import Logging
import NIOCore
import NIOPosix
import SingleSignOn
import SingleSignOnWire
import Testing

@testable import SingleSignOnBroker

@Suite struct ExtensionHostTests {
    private let request = ExtensionRequest(
        id: 0, url: "https://id.acme.test/x", operation: "", headers: [], body: Data(), realm: "", extensionData: [:],
        caller: Caller(
            bundleIdentifier: "a", teamIdentifier: "", displayName: "", isManaged: false, processIdentifier: 1),
        options: [:], isUserInterfaceEnabled: false, isCredential: false)

    private func manifest(_ executable: String) throws -> ExtensionManifest {
        try ExtensionManifest(
            reading: Data(
                """
                {"extensionIdentifier": "test.acme.ext", "hostAppIdentifier": "test.acme", "teamIdentifier": "ACME",
                "displayName": "Acme", "executable": "\(executable)"}
                """.utf8))
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["/nowhere/at/all", "/usr/bin/true"])
    func `one that cannot be started for many who wait is one crash`(executable: String) async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        var timing = ExtensionHost.Timing()
        timing.backOff = .seconds(20)
        timing.longestBackOff = .hours(1)
        let host = ExtensionHost(
            try manifest(executable), on: loop, timing: timing, environment: [:], now: Surroundings.system.now,
            logger: Logger(label: "test"))
        let request = request
        let reasons = await withTaskGroup(of: BrokerReason?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    guard case .ended(let reason, _) = await host.perform(request, presenter: NoPresenter()) else {
                        return nil
                    }
                    return reason
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let expected: Set<BrokerReason?> = [.extensionFailedToStart, .extensionCrashed, .extensionBackedOff]
        #expect(reasons.count == 20 && Set(reasons).isSubset(of: expected))
        // It waits as after a first crash, and not as after the twentieth.
        let status = await host.status
        #expect(status.state == .backedOff && status.lastFailure?.inARow == 1)
        #expect(try #require(status.startsAgainAt).timeIntervalSinceNow <= 20)
        await host.shutDown()
    }

    @Test(.timeLimit(.minutes(1)), arguments: [("exit 3", "exit status 3"), ("kill -SEGV $$", "signal 11")])
    func `how one ended is told`(words: String, expected: String) async throws {
        let program = FileManager.default.temporaryDirectory.appending(path: "ends-\(UUID().uuidString)")
        try Data("#!/bin/sh\nhead -c 1 <&3 >/dev/null\n\(words)\n".utf8).write(to: program)
        chmod(program.path, 0o755)
        defer { try? FileManager.default.removeItem(at: program) }
        var timing = ExtensionHost.Timing()
        (timing.backOff, timing.longestBackOff) = (.hours(1), .hours(1))
        let host = ExtensionHost(
            try manifest(program.path), on: MultiThreadedEventLoopGroup.singleton.next(), timing: timing,
            environment: [:], now: Surroundings.system.now, logger: Logger(label: "test"))
        guard case .ended(.extensionCrashed, let problem?) = await host.perform(request, presenter: NoPresenter())
        else {
            Issue.record("it did not end")
            return
        }
        let detail = problem.detail
        #expect(detail.contains(": \(expected)"), "\(detail)")
        #expect(await host.status.lastFailure?.reason == detail)
        // A caller that asks while the extension is left alone is told why as well.
        guard case .ended(.extensionBackedOff, let later?) = await host.perform(request, presenter: NoPresenter())
        else {
            Issue.record("it is started again at once")
            return
        }
        #expect(later.told.contains(detail) && later.told.contains("it is started again in 3"), "\(later)")
        await host.shutDown()
    }

    /// The host may notice the end while it hands the request over.
    @Test(.timeLimit(.minutes(1))) func `one that ends as soon as it runs is a crash, whenever it is asked`()
        async throws
    {
        let program = FileManager.default.temporaryDirectory.appending(path: "ends-\(UUID().uuidString)")
        try Data("#!/bin/sh\nexit 3\n".utf8).write(to: program)
        chmod(program.path, 0o755)
        defer { try? FileManager.default.removeItem(at: program) }
        var timing = ExtensionHost.Timing()
        (timing.backOff, timing.longestBackOff) = (.zero, .zero)
        let host = ExtensionHost(
            try manifest(program.path), on: MultiThreadedEventLoopGroup.singleton.next(), timing: timing,
            environment: [:], now: Surroundings.system.now, logger: Logger(label: "test"))
        for _ in 0..<50 {
            guard case .ended(let reason, let problem?) = await host.perform(request, presenter: NoPresenter()) else {
                Issue.record("it did not end")
                return
            }
            #expect([.extensionCrashed, .extensionFailedToStart].contains(reason), "\(problem.detail)")
        }
        #expect(await host.status.lastFailure?.inARow == 50)
        await host.shutDown()
    }

    @Test(.timeLimit(.minutes(1))) func `one that becomes another while it starts is no crash`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let host = ExtensionHost(
            try manifest("/bin/sleep"), on: loop, timing: .init(), environment: [:], now: Surroundings.system.now,
            logger: Logger(label: "test"))
        let result = await host.perform(request, taking: try manifest("/nowhere/at/all"))
        guard case .ended(.extensionFailedToStart, let problem?) = result else {
            Issue.record("the new one is not started")
            return
        }
        #expect(problem.detail.contains("/nowhere/at/all"))
        // The caller is not told the path of either program.
        #expect(problem.told == "its program cannot be started: No such file or directory")
        guard case .ended(.extensionBackedOff, let later?) = await host.perform(request, presenter: NoPresenter())
        else {
            Issue.record("it is started again at once")
            return
        }
        #expect(later.detail.contains("/nowhere/at/all") && !later.told.contains("/nowhere"))
        await host.shutDown()
    }
}

extension ExtensionHost {
    /// Performs a request, and replaces the manifest while the extension starts.
    fileprivate func perform(_ request: ExtensionRequest, taking new: ExtensionManifest) async -> Result {
        let asking = Task { await perform(request, presenter: NoPresenter()) }
        while !isStarting { await Task.yield() }
        take(new)
        return await asking.value
    }
}
