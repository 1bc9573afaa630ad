import Crypto
import Foundation
import Ground

/// The secrets of one trip to the consent page. Keep them with the browser that was sent, and use them once.
public struct AuthorizationAttempt: Equatable, Sendable {
    /// Comes back in the redirect; another value there means that someone else began this.
    public var state: String
    /// Comes back in the identity token.
    public var nonce: String
    /// Shown only when the code is exchanged. RFC 7636 section 4.1.
    public var codeVerifier: String

    public init(state: String, nonce: String, codeVerifier: String) {
        self.state = state
        self.nonce = nonce
        self.codeVerifier = codeVerifier
    }

    /// 256 random bits for each.
    public static func random(using generator: inout some RandomNumberGenerator) -> AuthorizationAttempt {
        AuthorizationAttempt(
            state: token(using: &generator), nonce: token(using: &generator), codeVerifier: token(using: &generator))
    }

    /// From the system's cryptographically secure generator.
    public static func random() -> AuthorizationAttempt {
        func token() -> String { Secret(from: .system).text }
        return AuthorizationAttempt(state: token(), nonce: token(), codeVerifier: token())
    }

    /// What the service sees of the verifier beforehand, method `S256`. RFC 7636 section 4.2.
    public var codeChallenge: String {
        Data(SHA256.hash(data: Data(codeVerifier.utf8))).base64URLEncoded
    }

    private static func token(using generator: inout some RandomNumberGenerator) -> String {
        Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64URLEncoded
    }
}

extension AuthorizationAttempt: CustomReflectable {
    /// Without what is secret, so that it does not get into a log.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
