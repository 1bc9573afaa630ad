import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why a request gave no credential: everything that the extension or the broker said, and the code by which apps
/// decide.
///
/// docs/specifications/extensible-single-sign-on.md, 14.
public struct ASAuthorizationError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The codes of ``errorDomain``.
    public enum Code: Int, Sendable {
        case unknown = 1000
        /// The person, the broker or the app itself ended the request.
        case canceled = 1001
        /// The extension's answer could not be used.
        case invalidResponse = 1002
        /// Nothing serves the URL: go on without single sign-on.
        case notHandled = 1003
        case failed = 1004
        /// The extension would have to ask the person, and the request does not allow it: try again with the operation
        /// `login`.
        case notInteractive = 1005
    }

    public static let errorDomain = AuthorizationFailure.authorizationDomain

    private let failure: AuthorizationFailure

    init(_ failure: AuthorizationFailure) { self.failure = failure }

    init(_ code: Code, _ message: String) {
        failure = AuthorizationFailure(code: code.rawValue, message: message)
    }

    /// ``Code/unknown`` for codes that are not Apple's and domains that are not ``errorDomain``: look at ``errorCode``
    /// then.
    public var code: Code { domain == Self.errorDomain ? Code(rawValue: errorCode) ?? .unknown : .unknown }
    /// ``errorDomain``, or a domain of the extension's own.
    public var domain: String { failure.domain }
    public var errorCode: Int { failure.code }
    /// Texts by name, as the extension gave them.
    public var userInfo: [String: String] { failure.userInfo }
    /// The error that caused this one, as the extension describes it.
    public var underlyingError: ASAuthorizationError? { failure.underlying.map { ASAuthorizationError($0.failure) } }
    public var description: String { failure.description }
    public var errorDescription: String? { failure.message }
}

extension ASAuthorizationError {
    /// The error that describes an outcome without a credential.
    init(_ outcome: BrokerOutcome) {
        if let failure = outcome.error {
            self.init(failure)
            return
        }
        let code: Code =
            switch outcome.outcome {
            case .notHandled: .notHandled
            // A completion that does not fit the request (`wrongCompletion`) counts as canceled: the broker ended it.
            case .canceled: .canceled
            case .failed where outcome.reason == .wrongCompletion: .canceled
            case .failed where outcome.reason == .unusableResponse: .invalidResponse
            case .failed where outcome.reason == .notInteractive: .notInteractive
            case .failed, .response, .headers, .empty: .failed
            }
        self.init(code, outcome.reason.sentence)
    }
}
