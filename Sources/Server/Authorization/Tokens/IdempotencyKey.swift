import Directory
import Ground

/// The key by which a client can repeat a request if it crashed, or if the network failed before the answer came. The
/// `Idempotency-Key` header of the IETF's draft-ietf-httpapi-idempotency-key-header, section 2.1.
package struct IdempotencyKey: Sendable {
    private let text: String

    /// - Parameter header: the value of the header in any form, since some clients leave out the quotes that the draft
    ///   requires.
    /// - Throws: ``OAuthError`` `invalid_request` for a key that could be guessed, or that is too long.
    package init(_ header: String) throws {
        guard (16...255).contains(header.utf8.count) else {
            throw OAuthError.telling(
                .invalidRequest, "Idempotency-Key has to be of 16 to 255 characters, and random: a UUID, for example")
        }
        text = header
    }

    /// The hash of the key together with the refresh token of the request. It reveals neither of them.
    func hash(with refreshToken: String) -> SecretHash { SecretHash(of: "\(refreshToken) \(text)") }
}
