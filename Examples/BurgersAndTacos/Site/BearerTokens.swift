import Foundation
import LanyardClient

/// Decides whether a native program's access token opens the pictures.
///
/// The provider says whose a token is and that it still counts, but not for whom it was made: any app of the provider
/// could send us one of its own users'. The identity token, which the program sends along, is signed for our program
/// and vouches for this access token (`at_hash`).
struct BearerTokens: Sendable {
    /// As the native program is known to the provider.
    let client: OpenIDClient

    /// - Parameters:
    ///   - accessToken: of `Authorization: Bearer …`
    ///   - identityToken: of `X-Identity-Token`
    func opens(_ accessToken: String, identityToken: String) async throws -> Bool {
        do {
            // The nonce was for the program itself; to know it here proves nothing.
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
