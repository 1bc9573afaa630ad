/// An error in a form that can cross processes: domain, code, texts, and the underlying error.
///
/// docs/specifications/extensible-single-sign-on.md, 14.
public struct AuthorizationFailure: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The error domain; ``authorizationDomain`` for the codes of ``Code``.
    public var domain: String
    /// The code within the domain.
    public var code: Int
    /// A sentence for people.
    public var message: String
    /// Texts by name, as the extension gave them.
    public var userInfo: [String: String]
    /// The error that caused this one.
    public var underlying: Underlying?

    /// The cause of a failure.
    public final class Underlying: Hashable, Codable, Sendable {
        public let failure: AuthorizationFailure

        public init(_ failure: AuthorizationFailure) { self.failure = failure }

        public init(from decoder: any Decoder) throws { failure = try AuthorizationFailure(from: decoder) }

        public func encode(to encoder: any Encoder) throws { try failure.encode(to: encoder) }

        public static func == (left: Underlying, right: Underlying) -> Bool { left.failure == right.failure }

        public func hash(into hasher: inout Hasher) { hasher.combine(failure) }
    }

    /// Apple's domain of authorization errors.
    public static let authorizationDomain = "ASAuthorizationErrorDomain"

    public init(
        domain: String = AuthorizationFailure.authorizationDomain, code: Int, message: String,
        userInfo: [String: String] = [:], underlying: AuthorizationFailure? = nil
    ) {
        self.domain = domain
        self.code = code
        self.message = message
        self.userInfo = userInfo
        self.underlying = underlying.map(Underlying.init)
    }

    /// The codes of ``authorizationDomain``.
    public enum Code: Int, Sendable {
        case unknown = 1000
        /// Canceled by the person or the broker.
        case canceled = 1001
        /// The extension's answer could not be used.
        case invalidResponse = 1002
        /// Nothing matched, or the extension declined.
        case notHandled = 1003
        case failed = 1004
        /// The person would have to be asked, which was not allowed.
        case notInteractive = 1005
    }

    public init(_ code: Code, _ message: String) {
        self.init(code: code.rawValue, message: message)
    }

    public var description: String { "\(message) (\(domain) \(code))" }
}
