import SingleSignOnWire

/// Sends requests to the extension, and gives the answer to its delegate or to the task that awaits it.
///
/// It stays alive until the delegate has been told, even if nobody else holds it.
@MainActor
public final class ASAuthorizationController {
    public let authorizationRequests: [ASAuthorizationRequest]
    public weak var delegate: (any ASAuthorizationControllerDelegate)?
    /// Without one, the person is asked in the desktop's browser.
    public weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?

    private var running: (number: Int, task: Task<Void, Never>)?
    private var begun = 0

    /// - Parameter authorizationRequests: at least one. They are performed one after the other; the first that an
    ///   extension handles is the answer.
    public init(authorizationRequests: [ASAuthorizationRequest]) {
        precondition(!authorizationRequests.isEmpty, "A controller needs a request.")
        self.authorizationRequests = authorizationRequests
    }

    /// Begins, and returns; the delegate is told once how it ended. In an `async` function Swift takes the form that
    /// waits.
    public func performRequests() {
        if let running, !running.task.isCancelled {
            let error = ASAuthorizationError(.failed, "The controller performs its requests already.")
            delegate?.authorizationController(controller: self, didCompleteWithError: error)
            return
        }
        begun += 1
        let number = begun
        // The task holds the controller until the delegate has been told.
        let task = Task {
            do throws(ASAuthorizationError) {
                let authorization = try await authorization()
                end(number)
                delegate?.authorizationController(controller: self, didCompleteWithAuthorization: authorization)
            } catch {
                end(number)
                delegate?.authorizationController(controller: self, didCompleteWithError: error)
            }
        }
        running = (number, task)
    }

    /// A canceled run may end after the next one has begun: it must not clear that one.
    private func end(_ number: Int) { if running?.number == number { running = nil } }

    /// Waits for the answer. The delegate is not told.
    /// - Throws: ``ASAuthorizationError``; ``ASAuthorizationError/Code/canceled`` if the task is canceled.
    public func performRequests() async throws(ASAuthorizationError) -> ASAuthorization { try await authorization() }

    /// Cancels the requests that ``performRequests()`` began for the delegate, which gets
    /// ``ASAuthorizationError/Code/canceled``.
    public func cancel() { running?.task.cancel() }

    private func authorization() async throws(ASAuthorizationError) -> ASAuthorization {
        let anchor = presentationContextProvider?.presentationAnchor(for: self) ?? .desktop
        var failure = ASAuthorizationError(.notHandled, "No request was performed.")
        for case let request as ASAuthorizationSingleSignOnRequest in authorizationRequests {
            do throws(ASAuthorizationError) {
                let outcome = try await request.singleSignOn.broker.outcome(of: request.message(anchor))
                return ASAuthorization(
                    provider: request.provider, credential: try ASAuthorizationSingleSignOnCredential(outcome))
            } catch {
                guard error.code == .notHandled else { throw error }
                failure = error
            }
        }
        throw failure
    }
}

/// Is told once how the requests of a controller ended. Both methods may be left out, but then nobody is told.
@MainActor
public protocol ASAuthorizationControllerDelegate: AnyObject {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
    /// - Parameter error: an ``ASAuthorizationError``.
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

extension ASAuthorizationControllerDelegate {
    public func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {}
    public func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {}
}

@MainActor
public protocol ASAuthorizationControllerPresentationContextProviding: AnyObject {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

extension BrokerClient {
    /// Performs a request, draws forms in the terminal if the request says so, and names what goes wrong as apps know
    /// it.
    func outcome(of request: BrokerRequest) async throws(ASAuthorizationError) -> BrokerOutcome {
        do {
            guard request.presentation == .terminal else { return try await perform(request) }
            return try await TerminalPresenter().perform(request, with: self)
        } catch is CancellationError {
            throw ASAuthorizationError(.canceled, "The app cancelled the request.")
        } catch let problem as BrokerUnavailable {
            throw ASAuthorizationError(.notHandled, problem.description)
        } catch {
            throw ASAuthorizationError(.failed, "\(error)")
        }
    }
}
