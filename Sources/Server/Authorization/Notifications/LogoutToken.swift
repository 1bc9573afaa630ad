import Directory
import Foundation
import Ground
import Storage

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

extension OutgoingNotification.Event {
    var isLogout: Bool { client != nil }
}

extension OutgoingNotification {
    /// Tells the clients of an app that a person is signed in to it no more: session by session, since some find their own
    /// by that alone; of the person, if none is known any more and the app takes that.
    static func enqueueLogouts(
        of person: PersonID, from app: App, at now: Date, surroundings: Surroundings, in transaction: WriteTransaction
    ) throws {
        let clients = try Client.list(of: app.id, in: transaction)
        let sessions = try clients.flatMap { try ClientSession.take(of: person, at: $0.clientID, in: transaction) }
        for session in sessions {
            try enqueueLogout(
                of: person, session.sid, from: app, session.clientID, at: now, surroundings: surroundings,
                in: transaction)
        }
        guard sessions.isEmpty, !app.logoutNeedsSession else { return }
        for client in clients {
            try enqueueLogout(
                of: person, nil, from: app, client.clientID, at: now, surroundings: surroundings, in: transaction)
        }
    }

    /// Tells the clients of sessions that have ended, however they did.
    static func enqueueLogouts(
        ofEndedSessions limit: Int, at now: Date, surroundings: Surroundings, in transaction: WriteTransaction
    ) throws {
        for session in try ClientSession.takeEnded(limit: limit, in: transaction) {
            guard let app = try App.find(clientID: session.clientID, in: transaction) else { continue }
            try enqueueLogout(
                of: session.personID, session.sid, from: app, session.clientID, at: now, surroundings: surroundings,
                in: transaction)
        }
    }

    /// Nothing, if the app has no address for it.
    private static func enqueueLogout(
        of person: PersonID, _ sid: String?, from app: App, _ clientID: String, at now: Date,
        surroundings: Surroundings, in transaction: WriteTransaction
    ) throws {
        guard app.backChannelLogoutURL != nil else { return }
        let event = Event(
            type: "logout", person: person.rawValue, eventTime: Int(now.timeIntervalSince1970), client: clientID,
            session: sid)
        try enqueue(
            event, jti: Data(surroundings.randomBytes(16)).base64URLEncoded, to: app.id, at: now, in: transaction)
    }
}
