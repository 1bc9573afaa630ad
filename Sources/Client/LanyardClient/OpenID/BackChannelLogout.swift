import Foundation
import JWTKit
import LanyardAPI

/// A verified logout token: the person has signed out at the provider, and has to be signed out of the app. OpenID
/// Connect Back-Channel Logout 1.0.
public struct BackChannelLogout: Equatable, Sendable {
    /// Unique for each token. A repeated token does no harm, since the session has ended already.
    public var id: String
    /// The person; nil if the token names only a session.
    public var subject: String?
    /// The session that has ended, as in `IdentityToken.sessionID`; nil for all sessions of the person.
    public var sessionID: String?
    public var issuedAt: Date
}

extension OpenIDClient {
    /// Checks what was posted to the app's address for logouts: signature, issuer, audience, times, and that it is a
    /// logout token and nothing else (section 2.6). Answer 200 when the session has ended, also if there was none; 400
    /// when this throws `invalidToken`.
    /// - Parameter form: The body, `logout_token=…`.
    /// - Throws: `LanyardClientError.invalidToken`, or the reason why the keys could not be read.
    public func verify(logout form: String) async throws -> BackChannelLogout {
        guard let token = FormFields(form)?["logout_token"] else {
            throw LanyardClientError.invalidToken(.malformed)
        }
        let provider = try await provider.current()
        let claims = try await provider.keys.verify(token, as: LogoutClaims.self, types: ["logout+jwt", "jwt"])
        guard claims.issuer == configuration.issuer else { throw LanyardClientError.invalidToken(.wrongIssuer) }
        guard claims.audience.value.contains(configuration.clientID) else {
            throw LanyardClientError.invalidToken(.wrongAudience)
        }
        // A logout token must not have a nonce, so that it cannot be confused with an identity token.
        guard claims.events[LogoutClaims.event] != nil, claims.nonce == nil,
            claims.subject != nil || claims.sessionID != nil
        else { throw LanyardClientError.invalidToken(.malformed) }
        try verifier(provider).requireCurrent(issuedAt: claims.issuedAt, expiresAt: claims.expiresAt)
        return BackChannelLogout(
            id: claims.id, subject: claims.subject, sessionID: claims.sessionID,
            issuedAt: Date(timeIntervalSince1970: claims.issuedAt))
    }
}

/// The claims on the wire, section 2.4.
private struct LogoutClaims: JWTPayload {
    let issuer: String
    let audience: AudienceClaim
    let issuedAt: Double
    /// Required since 2022; older providers leave it out.
    let expiresAt: Double?
    let id: String
    let subject: String?
    let sessionID: String?
    let nonce: String?
    let events: [String: Event]

    static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// An object without defined members.
    struct Event: Codable {
        init(from decoder: any Decoder) throws {
            // Requires an object; otherwise any value would be accepted.
            _ = try decoder.container(keyedBy: CodingKeys.self)
        }

        private enum CodingKeys: CodingKey {}
    }

    /// Verified by the caller, which knows the time and the expected values.
    func verify(using algorithm: some JWTAlgorithm) {}

    private enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case audience = "aud"
        case issuedAt = "iat"
        case expiresAt = "exp"
        case id = "jti"
        case subject = "sub"
        case sessionID = "sid"
        case nonce, events
    }
}
