import Foundation

/// A message to a client that a person has signed out, and nothing else. OpenID Connect Back-Channel Logout §2.4.
package struct BackChannelLogoutToken: Encodable, Equatable, Sendable {
    package let iss: String
    package let aud: String
    package let iat: Int
    package let exp: Int
    /// Differs for each attempt, because clients refuse ids that they have seen, and may have failed to process an
    /// earlier attempt.
    package let jti: String
    package let sub: String
    /// The session that has ended; nil if all sessions of the person have.
    package let sid: String?
    package let events = [BackChannelLogoutToken.event: Nothing()]

    package struct Nothing: Encodable, Equatable, Sendable {}

    static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// `typ` of the header, so that a client does not take it for an identity token.
    static let type = "logout+jwt"
    /// In seconds. A short time is enough, because the token is made when it is sent.
    private static let lifetime = 120

    init(
        of sub: String, in session: String?, from issuer: String, to clientID: String, jti: String, attempt: Int,
        at now: Date
    ) {
        iss = issuer
        aud = clientID
        iat = Int(now.timeIntervalSince1970)
        exp = iat + Self.lifetime
        self.jti = "\(jti)-\(attempt)"
        self.sub = sub
        sid = session
    }

    private enum CodingKeys: CodingKey {
        case iss, aud, iat, exp, jti, sub, sid, events
    }
}
