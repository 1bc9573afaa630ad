import Directory
import Ground

/// What a client sends with a request that it may have to make again, because it crashed or the network failed before the
/// answer came. The `Idempotency-Key` header of the IETF's draft-ietf-httpapi-idempotency-key-header, section 2.1.
package struct IdempotencyKey: Sendable {
    private let text: String

    /// - Parameter header: the header's value, of any form: some send the text without the quotes that the draft wants.
    /// - Throws: ``OAuthError`` `invalid_request` for one that somebody could guess, or that is no key.
    package init(_ header: String) throws {
        guard (16...255).contains(header.utf8.count) else {
            throw OAuthError.telling(
                .invalidRequest, "Idempotency-Key has to be of 16 to 255 characters, and random: a UUID, for example")
        }
        text = header
    }

    /// Of the key and the token that it came with. Neither can be had from it, and the key alone is good for nothing.
    func hash(with refreshToken: String) -> SecretHash { SecretHash(of: "\(refreshToken) \(text)") }
}
