import Crypto
import Foundation
import Ground
import JWTKit

/// Verifies identity tokens, for all profiles. OpenID Connect Core sections 3.1.3.7 and 3.3.2.11.
struct TokenVerifier: Sendable {
    let keys: VerificationKeys
    let issuer: String
    let audience: String
    let clockTolerance: Duration
    let now: @Sendable () -> Date

    /// The maximum size in bytes; tokens of the service are much smaller.
    static let bytesMax = 1 << 20

    /// - Parameters:
    ///   - nonce: the nonce that was sent; nil if there was none, and for a token of a refresh.
    ///   - code: the code that came with the token in the browser. The token must then have its hash.
    ///   - accessToken: the access token that came with the token from the token endpoint. If the token has a hash, it
    ///     must match.
    /// - Throws: `LanyardClientError.invalidToken`, or the reason why the keys could not be read.
    func verify(
        identityToken token: String,
        nonce: String?,
        code: String? = nil,
        accessToken: String? = nil
    ) async throws -> IdentityToken {
        let claims = try await keys.verify(token, as: IdentityClaims.self)
        guard claims.issuer == issuer else { throw LanyardClientError.invalidToken(.wrongIssuer) }
        guard claims.audience.value.contains(audience), claims.authorizedParty ?? audience == audience else {
            throw LanyardClientError.invalidToken(.wrongAudience)
        }
        try requireCurrent(issuedAt: claims.issuedAt, expiresAt: claims.expiresAt)
        try requireNonce(nonce, in: claims)
        if let code {
            guard let hash = claims.codeHash, hash.equalsInConstantTime(Self.leftHalfOfHash(code)) else {
                throw LanyardClientError.invalidToken(.wrongHash)
            }
        }
        if let accessToken, let hash = claims.accessTokenHash {
            guard hash.equalsInConstantTime(Self.leftHalfOfHash(accessToken)) else {
                throw LanyardClientError.invalidToken(.wrongHash)
            }
        }
        return IdentityToken(claims)
    }

    /// - Parameters:
    ///   - issuedAt: Seconds since 1970.
    ///   - expiresAt: The same; nil for a token that does not expire.
    ///   - lead: how far the service's clock may be ahead of ours; by default the clock tolerance.
    func requireCurrent(issuedAt: Double, expiresAt: Double?, aheadAtMost lead: Duration? = nil) throws {
        let now = now().timeIntervalSince1970
        guard issuedAt <= now + (lead ?? clockTolerance).timeInterval else {
            throw LanyardClientError.invalidToken(.issuedInTheFuture)
        }
        if let expiresAt, expiresAt <= now - clockTolerance.timeInterval {
            throw LanyardClientError.invalidToken(.expired)
        }
    }

    private func requireNonce(_ expected: String?, in claims: IdentityClaims) throws {
        switch (claims.nonce, expected) {
        case (nil, nil): return
        case (let nonce?, let expected?) where nonce.equalsInConstantTime(expected): return
        default: throw LanyardClientError.invalidToken(.wrongNonce)
        }
    }

    /// `at_hash` and `c_hash`: 16 of the 32 bytes, in base64url. OpenID Connect Core section 3.3.2.11.
    static func leftHalfOfHash(_ text: String) -> String {
        Data(SHA256.hash(data: Data(text.utf8)).prefix(16)).base64URLEncoded
    }
}
