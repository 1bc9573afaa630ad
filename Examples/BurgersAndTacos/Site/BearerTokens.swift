import Foundation
import LanyardClient

/// Decides whether a native program may see the pictures with its access token.
///
/// The provider tells whose a token is and that it is valid, but not for which app it was issued: any app of the
/// provider could send us a token of its own users. Therefore the program also sends the identity token, which is
/// issued for our program and bound to this access token by `at_hash`.
struct BearerTokens: Sendable {
    /// The client that the native program is at the provider.
    let client: OpenIDClient

    /// - Parameters:
    ///   - accessToken: from `Authorization: Bearer …`
    ///   - identityToken: from `X-Identity-Token`
    func opens(_ accessToken: String, identityToken: String) async throws -> Bool {
        do {
            // The nonce is for the program itself to check; here the one of the token is used.
            let identity = try await client.verify(
                identityToken: identityToken, nonce: Self.nonce(in: identityToken), accessToken: accessToken)
            let token = AccessToken(value: accessToken, expiresAt: .distantFuture)
            _ = try await client.userInfo(token, subject: identity.subject)
            return true
        } catch LanyardClientError.invalidToken, LanyardClientError.oauth {
            return false
        }
    }

    private static func nonce(in token: String) -> String? {
        struct Claims: Decodable { let nonce: String? }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: String(text)).flatMap { try? JSONDecoder().decode(Claims.self, from: $0) }?.nonce
    }
}
