import SingleSignOnWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// The socket between an extension and the broker. Messages are JSON, each preceded by its length in four bytes,
/// big-endian.
final class BrokerConnection: Sendable {
    private let socket: Int32
    /// Held while a message is written, so that messages do not mix.
    private let writing = Mutex(())
    private let waiting = Mutex(Waiting())

    private struct Waiting {
        var presentations: [UInt64: CheckedContinuation<PresentationResult, any Error>] = [:]
        var returnURLs: [UInt64: CheckedContinuation<String, any Error>] = [:]
    }

    struct NotStartedByBroker: Error, CustomStringConvertible {
        let description =
            "this is an extension for single sign-on: the broker starts it, see `lanyard-sso extension list`"
    }

    init(socket: Int32) {
        self.socket = socket
    }

    static func inherited() throws -> BrokerConnection {
        guard let text = getenv(ExtensionProtocol.socketVariable), let socket = Int32(String(cString: text)),
            fcntl(socket, F_GETFD) >= 0
        else { throw NotStartedByBroker() }
        // Programs that the extension starts must not inherit the socket.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        unsetenv(ExtensionProtocol.socketVariable)
        if getenv(ExtensionProtocol.debugVariable) != nil {
            unsetenv(ExtensionProtocol.debugVariable)
            writeToLog("process \(getpid()) waits for a debugger")
            raise(SIGSTOP)
        }
        return BrokerConnection(socket: socket)
    }

    /// Passes every request to the handler until the broker closes the socket.
    @MainActor
    func serve(_ handler: some ASAuthorizationProviderExtensionAuthorizationRequestHandler) async {
        _ = send(.ready(version: ExtensionProtocol.version))
        var open: [UInt64: ASAuthorizationProviderExtensionAuthorizationRequest] = [:]
        for await command in commands() {
            switch command {
            case .begin(let request):
                open = open.filter { $1.isOpen }
                let request = (
                    id: request.id, ASAuthorizationProviderExtensionAuthorizationRequest(request, connection: self)
                )
                open[request.id] = request.1
                handler.beginAuthorization(with: request.1)
            case .cancel(let id):
                guard let request = open.removeValue(forKey: id), request.isOpen else { continue }
                request.markCanceled()
                resume(id, throwing: AuthorizationFailure(.canceled, "The request was cancelled."))
                handler.cancelAuthorization(with: request)
            case .presented(let id, let result):
                waiting.withLock { $0.presentations.removeValue(forKey: id) }?.resume(returning: result)
            case .returnURL(let id, let url):
                waiting.withLock { $0.returnURLs.removeValue(forKey: id) }?.resume(returning: url)
            }
        }
    }

    /// Reads on a thread of its own, because a read blocks until the next request.
    private func commands() -> AsyncStream<ExtensionCommand> {
        let (stream, continuation) = AsyncStream.makeStream(of: ExtensionCommand.self)
        let socket = socket
        startThread {
            let decoder = JSONDecoder()
            while let message = MessageFrame.read(from: socket) {
                guard let command = try? decoder.decode(ExtensionCommand.self, from: message) else {
                    writeToLog("the broker sent a message that is not known here")
                    continue
                }
                continuation.yield(command)
            }
            continuation.finish()
        }
        return stream
    }

    func finish(_ id: UInt64, with answer: ExtensionAnswer) {
        resume(id, throwing: AuthorizationFailure(.canceled, "The request was answered."))
        if send(.completed(id: id, answer)) { return }
        // The broker would end an extension that sends a larger message, with all its other requests.
        let failure = AuthorizationFailure(
            .invalidResponse,
            "The extension's answer is larger than \(ExtensionProtocol.messageBytesMax) bytes.")
        _ = send(.completed(id: id, .failed(failure)))
    }

    func wake(_ id: UInt64, _ wake: ExtensionWake) { _ = send(.wake(id: id, wake)) }

    /// - Parameter isOpen: whether the request still waits for an answer.
    func present(
        _ id: UInt64, _ report: ExtensionReport, isOpen: @Sendable () -> Bool
    ) async throws -> PresentationResult {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = waiting.withLock { waiting in
                guard waiting.presentations[id] == nil else { return false }
                waiting.presentations[id] = continuation
                return true
            }
            guard isFirst else {
                continuation.resume(
                    throwing: AuthorizationFailure(.failed, "Something is shown for this request already."))
                return
            }
            // If the request ended before the wait began, nothing else would end the wait.
            if !isOpen() { return resume(id, throwing: AuthorizationFailure(.canceled, "The request is over.")) }
            if !send(report) {
                resume(id, throwing: AuthorizationFailure(.failed, "The form is too large to be shown."))
            }
        }
    }

    func returnURL(for id: UInt64, isOpen: @Sendable () -> Bool) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = waiting.withLock { waiting in
                guard waiting.returnURLs[id] == nil else { return false }
                waiting.returnURLs[id] = continuation
                return true
            }
            guard isFirst else {
                continuation.resume(
                    throwing: AuthorizationFailure(.failed, "A page is being shown for this request already."))
                return
            }
            if !isOpen() { return resume(id, throwing: AuthorizationFailure(.canceled, "The request is over.")) }
            _ = send(.prepareWebPage(id: id))
        }
    }

    /// Ends the wait for a request that is over.
    private func resume(_ id: UInt64, throwing failure: AuthorizationFailure) {
        let (presentation, returnURL) = waiting.withLock {
            ($0.presentations.removeValue(forKey: id), $0.returnURLs.removeValue(forKey: id))
        }
        presentation?.resume(throwing: failure)
        returnURL?.resume(throwing: failure)
    }

    /// - Returns: false if the message is too large to be sent.
    private func send(_ report: ExtensionReport) -> Bool {
        guard let message = try? JSONEncoder().encode(report), message.count <= ExtensionProtocol.messageBytesMax else {
            return false
        }
        writing.withLock { _ in
            if !MessageFrame.write(message, to: socket) { writeToLog("the broker is gone") }
        }
        return true
    }
}
