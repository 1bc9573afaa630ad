/// The result of a successful request.
public struct LanyardAuthorization: Sendable {
    public let provider: LanyardIDProvider
    public let credential: LanyardIDCredential
}

@MainActor public protocol LanyardAuthorizationControllerDelegate: AnyObject {
    func authorizationController(
        controller: LanyardAuthorizationController, didCompleteWithAuthorization authorization: LanyardAuthorization)
    func authorizationController(
        controller: LanyardAuthorizationController, didCompleteWithError error: any Error)
}

/// Shows a person where to sign in, and waits for the result.
@MainActor public final class LanyardAuthorizationController {
    public struct RequestOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Use only credentials that need no interaction. There are none yet, so the request ends with
        /// `notInteractive`.
        public static let preferImmediatelyAvailableCredentials = RequestOptions(rawValue: 1)
    }

    public nonisolated let authorizationRequests: [LanyardIDRequest]
    public weak var delegate: (any LanyardAuthorizationControllerDelegate)?
    /// How to show where to sign in; by the system's browser and the terminal unless set.
    public var presentationContextProvider: any SignInPresentation = TerminalPresentation()
    private var running: Task<LanyardAuthorization, any Error>?

    public nonisolated init(authorizationRequests: [LanyardIDRequest]) {
        self.authorizationRequests = authorizationRequests
    }

    /// - Throws: `LanyardAuthorizationError`
    public func performRequests(options: RequestOptions = []) async throws -> LanyardAuthorization {
        let task = try start(options)
        defer { running = nil }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            throw LanyardAuthorizationError(error)
        }
    }

    /// Performs the requests and calls the delegate with the result.
    public func performRequests(options: RequestOptions = []) {
        Task {
            do {
                let authorization: LanyardAuthorization = try await performRequests(options: options)
                delegate?.authorizationController(controller: self, didCompleteWithAuthorization: authorization)
            } catch {
                delegate?.authorizationController(controller: self, didCompleteWithError: error)
            }
        }
    }

    /// Ends a request that is waiting for a person, with `canceled`.
    public func cancel() {
        running?.cancel()
    }

    private func start(_ options: RequestOptions) throws -> Task<LanyardAuthorization, any Error> {
        guard running == nil else {
            throw LanyardAuthorizationError(.failed, "A request is being performed already.")
        }
        guard authorizationRequests.count == 1, let request = authorizationRequests.first else {
            throw LanyardAuthorizationError(.notHandled, "There has to be one request.")
        }
        guard request.requestedOperation != .operationLogout else {
            throw LanyardAuthorizationError(.notHandled, "Signing out needs no request.")
        }
        guard !options.contains(.preferImmediatelyAvailableCredentials) else {
            throw LanyardAuthorizationError(.notInteractive, "A person would have to sign in.")
        }
        let attempt = NativeSignIn(request: request, presentation: presentationContextProvider)
        let task = Task.detached { try await attempt.run() }
        running = task
        return task
    }
}
