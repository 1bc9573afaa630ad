import Foundation

/// What a client is told when a person has signed out: that, and nothing else. OpenID Connect Back-Channel Logout §2.4.
package struct LogoutToken: Encodable, Equatable, Sendable {
    package let iss: String
    package let aud: String
    package let iat: Int
    package let exp: Int
    /// Another one in each attempt: clients refuse what they have seen, and the one before may have got lost on their side.
    package let jti: String
    package let sub: String
    /// The session that is over; nil: all of the person's.
    package let sid: String?
    package let events = [LogoutToken.event: Nothing()]

    package struct Nothing: Encodable, Equatable, Sendable {}

    static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// `typ` of the header, so that no client takes it for an identity token.
    static let type = "logout+jwt"
    /// Seconds. It is made when it is sent.
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
