import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Synchronization

/// Quizzler, as a process of its own beside the server: it is another company's app.
final class QuizzlerProcess: Service {
    private let program: String
    private let port: Int
    private let folder: String
    private let server: String
    private let app: DemoStage.RegisteredApp
    private let processID = Mutex<Int32?>(nil)

    init(program: String, port: Int, folder: String, server: String, app: DemoStage.RegisteredApp) {
        self.program = program
        self.port = port
        self.folder = folder
        self.server = server
        self.app = app
    }

    func run() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            "--port", "\(port)", "--data", folder, "--server", server, "--client-id", app.clientID, "--team-id",
            app.teamID, "--key-id", app.keyID, "--key-file", app.keyFile, "--public-url", "http://127.0.0.1:\(port)",
        ]
        process.standardInput = FileHandle.nullDevice
        let (exits, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            continuation.yield(process.terminationStatus)
            continuation.finish()
        }
        try process.run()
        let processID = process.processIdentifier
        self.processID.withLock { $0 = processID }
        let status = await withGracefulShutdownHandler {
            await exits.first { _ in true } ?? 0
        } onGracefulShutdown: {
            // Ctrl-C reaches the whole terminal group, a kill of the demo only us.
            kill(processID, SIGTERM)
        }
        if status != 0 { throw Failure("Quizzler ended with status \(status).") }
    }

    /// Asks `/healthz` until it answers. A Quizzler that does not is stopped, and ``run()`` fails with it.
    func waitUntilReady() async throws {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/healthz")
        for _ in 0..<300 {
            if let answer = try? await HTTPClient.shared.execute(request, timeout: .seconds(1)), answer.status == .ok {
                return
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        if let processID = processID.withLock({ $0 }) { kill(processID, SIGKILL) }
        throw Failure("it does not answer at \(request.url)")
    }
}
