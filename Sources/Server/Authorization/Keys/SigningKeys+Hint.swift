import Directory
import Foundation
import Ground

/// What an identity token that we signed says about its subject, even if it has expired.
package struct IdentityTokenHint: Decodable, Sendable {
    package let iss: String
    package let aud: String
    package let sub: String
}

extension SigningKeys {
    /// Reads an identity token that an app hands back as a hint. OpenID Connect RP-Initiated Logout §2.
    /// - Returns: nil unless one of our published keys signed it.
    package func hint(_ token: String) async throws -> IdentityTokenHint? {
        guard let token = try? CompactJWT(token, bytesMax: 8_192),
            let algorithm = SigningAlgorithm(rawValue: token.header.algorithm), let keyID = token.header.keyID,
            // A token with a `typ` is not an identity token.
            !token.header.hasType,
            let key = try await published(algorithm).first(where: { $0.keyID.isExactly(keyID) }),
            key.hasSigned(token.signedBytes, token.signature)
        else { return nil }
        return token.claims()
    }
}
