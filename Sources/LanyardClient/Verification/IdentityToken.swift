import Foundation
import JWTKit

/// What a verified identity token says about a person.
public struct IdentityToken: Equatable, Sendable {
    /// The person's `User.id`, if they belong to an organization that has consented.
    public var subject: String
    /// The `Organization.id`; nil for a personal account.
    public var organizationID: String?
    /// Nil for many people of a school.
    public var email: String?
    public var issuedAt: Date
    public var expiresAt: Date
    /// When the person last signed in.
    public var authenticatedAt: Date?
}

extension LanyardClient {
    /// Checks signature, issuer, audience, times and nonce. OpenID Connect Core section 3.1.3.7.
    /// - Parameter nonce: The one that was sent in the authorization request; nil if none was.
    /// - Throws: `LanyardClientError.invalidToken`, or the reason why the keys could not be read.
    public func verify(identityToken token: String, nonce: String?) async throws -> IdentityToken {
        let claims = try await verificationKeys.verify(token, as: IdentityClaims.self)
        guard claims.issuer == configuration.issuer else { throw LanyardClientError.invalidToken(.wrongIssuer) }
        guard claims.audience.value.contains(configuration.clientID) else {
            throw LanyardClientError.invalidToken(.wrongAudience)
        }
        try requireCurrent(
            issuedAt: claims.issuedAt, expiresAt: claims.expiresAt, aheadAtMost: configuration.clockTolerance)
        guard claims.nonce == nonce else { throw LanyardClientError.invalidToken(.wrongNonce) }
        return IdentityToken(
            subject: claims.subject,
            organizationID: claims.organizationID,
            email: claims.email.flatMap { $0.isEmpty ? nil : $0 },
            issuedAt: Date(timeIntervalSince1970: claims.issuedAt),
            expiresAt: Date(timeIntervalSince1970: claims.expiresAt),
            authenticatedAt: claims.authenticatedAt.map { Date(timeIntervalSince1970: $0) }
        )
    }

    /// - Parameters:
    ///   - issuedAt: Seconds since 1970.
    ///   - expiresAt: The same; nil for a token that does not expire.
    ///   - lead: How far the service's clock may be ahead of ours.
    func requireCurrent(issuedAt: Double, expiresAt: Double?, aheadAtMost lead: Duration) throws {
        let now = now().timeIntervalSince1970
        guard issuedAt <= now + lead.timeInterval else { throw LanyardClientError.invalidToken(.issuedInTheFuture) }
        if let expiresAt, expiresAt <= now - configuration.clockTolerance.timeInterval {
            throw LanyardClientError.invalidToken(.expired)
        }
    }
}

private struct IdentityClaims: JWTPayload {
    let issuer: String
    let audience: AudienceClaim  // a string or an array of strings
    let subject: String
    let issuedAt: Double
    let expiresAt: Double
    let organizationID: String?
    let email: String?
    let authenticatedAt: Double?
    let nonce: String?

    /// Left to the caller, who knows the time and what to expect.
    func verify(using algorithm: some JWTAlgorithm) {}

    private enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case audience = "aud"
        case subject = "sub"
        case issuedAt = "iat"
        case expiresAt = "exp"
        case organizationID = "org_id"
        case email
        case authenticatedAt = "auth_time"
        case nonce
    }
}
