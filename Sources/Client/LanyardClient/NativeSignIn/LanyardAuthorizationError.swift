import LanyardAPI

/// Why nobody has signed in. Codes and raw values are those of AuthenticationServices.
public struct LanyardAuthorizationError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: Int, Sendable {
        /// An unexpected error; the message says which.
        case unknown = 1000
        /// The person canceled, or did nothing within the time limit.
        case canceled = 1001
        /// The service's answer cannot be trusted.
        case invalidResponse = 1002
        /// This kind of request is not handled.
        case notHandled = 1003
        /// The service could not be reached, or refused.
        case failed = 1004
        /// The person would have to be asked, which was not allowed.
        case notInteractive = 1005
        case matchedExcludedCredential = 1006
        case credentialImport = 1007
        case credentialExport = 1008
        case preferSignInWithApple = 1009
        case deviceNotConfiguredForPasskeyCreation = 1010
    }

    public var code: Code
    /// For logs and developers.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var errorCode: Int { code.rawValue }
    public var description: String { "\(code) (\(code.rawValue)): \(message)" }
}

extension LanyardAuthorizationError {
    init(_ error: any Error) {
        switch error {
        case let error as LanyardAuthorizationError:
            self = error
        case is CancellationError:
            self.init(.canceled, "The request was cancelled.")
        case let error as LanyardClientError where error.isCancelledByPerson:
            self.init(.canceled, "The person did not want to sign in.")
        case LanyardClientError.oauth(.expiredToken, _, _):
            self.init(.canceled, "Nobody has signed in in time.")
        case LanyardClientError.invalidToken(let defect):
            self.init(.invalidResponse, "The identity token is refused: \(defect).")
        case LanyardClientError.malformedAnswer(let text), LanyardClientError.unexpectedAnswer(_, let text, _):
            self.init(.invalidResponse, text)
        case is LanyardClientError:
            self.init(.failed, "\(error)")
        default:
            self.init(.unknown, "\(error)")
        }
    }
}
