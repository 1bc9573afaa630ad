import Foundation
import JWTKit
import LanyardAPI

/// The claims of an identity token as they are on the wire.
struct IdentityClaims: JWTPayload {
    let issuer: String
    let audience: AudienceClaim  // a string or an array of strings
    /// `azp`: which of several audiences has requested the token.
    let authorizedParty: String?
    let subject: String
    let issuedAt: Double
    let expiresAt: Double
    let organizationID: String?
    let email: String?
    let isEmailVerified: TruthValue?
    let isPrivateEmail: TruthValue?
    let realUserStatus: Int?
    let transferSubject: String?
    let scopes: String?
    let authenticatedAt: Double?
    let sessionID: String?
    let authenticationContext: String?
    let authenticationMethods: [String]?
    let nonce: String?
    let isNonceSupported: Bool?
    let accessTokenHash: String?
    let codeHash: String?

    /// Verified by `TokenVerifier`, which knows the time and the expected values.
    func verify(using algorithm: some JWTAlgorithm) {}

    private enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case audience = "aud"
        case authorizedParty = "azp"
        case subject = "sub"
        case issuedAt = "iat"
        case expiresAt = "exp"
        case organizationID = "org_id"
        case email
        case isEmailVerified = "email_verified"
        case isPrivateEmail = "is_private_email"
        case realUserStatus = "real_user_status"
        case transferSubject = "transfer_sub"
        case scopes
        case authenticatedAt = "auth_time"
        case sessionID = "sid"
        case authenticationContext = "acr"
        case authenticationMethods = "amr"
        case nonce
        case isNonceSupported = "nonce_supported"
        case accessTokenHash = "at_hash"
        case codeHash = "c_hash"
    }
}

extension IdentityToken {
    init(_ claims: IdentityClaims) {
        subject = claims.subject
        organizationID = claims.organizationID
        email = claims.email.flatMap { $0.isEmpty ? nil : $0 }
        isEmailVerified = claims.isEmailVerified?.value ?? false
        isPrivateEmail = claims.isPrivateEmail?.value ?? false
        realUserStatus = claims.realUserStatus.flatMap(RealUserStatus.init)
        transferSubject = claims.transferSubject
        scopes = Scope.list(claims.scopes ?? "")
        isNonceSupported = claims.isNonceSupported ?? false
        authenticationContext = claims.authenticationContext
        authenticationMethods = claims.authenticationMethods ?? []
        sessionID = claims.sessionID
        issuedAt = Date(timeIntervalSince1970: claims.issuedAt)
        expiresAt = Date(timeIntervalSince1970: claims.expiresAt)
        authenticatedAt = claims.authenticatedAt.map { Date(timeIntervalSince1970: $0) }
    }
}
