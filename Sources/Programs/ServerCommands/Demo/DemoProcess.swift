import AsyncHTTPClient
import CommandOutput
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Synchronization

/// A program that runs beside the server and is stopped with the demo.
final class DemoProcess: Service {
    private let name: String
    private let program: String
    private let arguments: [String]
    private let environment: [String: String]
    /// The file for its output; nil for the demo's own terminal.
    private let log: String?
    private let isNeeded: Bool
    private let processID = Mutex<Int32?>(nil)
    private let start = AsyncStream.makeStream(of: Void.self)

    /// - Parameters:
    ///   - environment: variables in addition to the demo's own.
    ///   - isNeeded: whether the demo ends when the program ends.
    init(
        _ name: String, program: String, arguments: [String], environment: [String: String] = [:], log: String? = nil,
        isNeeded: Bool = true
    ) {
        self.name = name
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.log = log
        self.isNeeded = isNeeded
    }

    /// Lets ``run()`` start the program.
    func begin() { start.continuation.yield() }

    func run() async throws {
        await cancelWhenGracefulShutdown { [stream = start.stream] in
            for await _ in stream { return }
        }
        guard !Task.isShuttingDownGracefully, !Task.isCancelled else { return }
        do {
            try await runToEnd()
        } catch let failure where !isNeeded {
            FileHandle.standardError.write(Data("\(failure)\n".utf8))
        }
        if !isNeeded { try? await gracefulShutdown() }
    }

    /// How long a program has to end by itself.
    private static let patience = Duration.seconds(5)

    private func runToEnd() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        if let log {
            guard FileManager.default.createFile(atPath: log, contents: nil),
                let file = FileHandle(forWritingAtPath: log)
            else { throw Failure("\(log) cannot be written.") }
            process.standardOutput = file
            process.standardError = file
        }
        let exit = Promise()
        process.terminationHandler = { exit.fulfil($0.terminationStatus) }
        try Self.withNoSignalBlocked { try process.run() }
        let processID = process.processIdentifier
        self.processID.withLock { $0 = processID }
        let status = await withTaskCancellationOrGracefulShutdownHandler {
            await exit.value()
        } onCancelOrGracefulShutdown: { [name] in
            // Ctrl-C goes to the whole process group, but a signal to the demo only to this process, so pass it on.
            kill(processID, SIGTERM)
            Task {
                try? await Task.sleep(for: Self.patience)
                guard exit.isAwaited else { return }
                StandardOutput.error.write("\(name) does not end, and is killed.\n".utf8)
                kill(processID, SIGKILL)
                // A killed program has no status that anybody needs: the demo does not wait for the system to report it.
                exit.fulfil(SIGKILL)
            }
        }
        guard status != 0, !Task.isShuttingDownGracefully, !Task.isCancelled else { return }
        throw Failure("\(name) ended with status \(status)." + (log.map { " Its log is \($0)." } ?? ""))
    }

    /// A program begins with the signals blocked that the thread has blocked which starts it. Threads for tasks have blocked nearly all,
    /// and some programs would not hear that they are to end.
    private static func withNoSignalBlocked(_ body: () throws -> Void) rethrows {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    /// Waits until the program is ready. If it does not get ready in time it is stopped, and ``run()`` fails.
    func waitUntilReady(_ isReady: () async -> Bool) async throws {
        for _ in 0..<600 {
            if await isReady() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        if let processID = processID.withLock({ $0 }) { kill(processID, SIGKILL) }
        throw Failure("\(name) is not ready after 30 seconds." + (log.map { " Its log is \($0)." } ?? ""))
    }

    /// Whether an HTTP request to the URL gets a response.
    static func answers(_ url: String) async -> Bool {
        let answer = try? await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(1))
        return answer?.status == .ok
    }
}

/// The exit status of a program. Waiting for it cannot be canceled, so that no program outlives the demo.
private final class Promise: Sendable {
    private enum State {
        case running([CheckedContinuation<Int32, Never>])
        case ended(Int32)
    }

    private let state = Mutex(State.running([]))

    var isAwaited: Bool { state.withLock { if case .running = $0 { true } else { false } } }

    func fulfil(_ status: Int32) {
        let waiting = state.withLock { state in
            defer { state = .ended(status) }
            if case .running(let waiting) = state { return waiting }
            return []
        }
        for continuation in waiting { continuation.resume(returning: status) }
    }

    func value() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status: Int32? = state.withLock { state in
                switch state {
                case .ended(let status): return status
                case .running(let waiting):
                    state = .running(waiting + [continuation])
                    return nil
                }
            }
            if let status { continuation.resume(returning: status) }
        }
    }
}
