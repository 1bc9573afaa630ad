import Directory
import Foundation
import Ground
import Storage

extension OutgoingNotification {
    /// Tells the clients of an app that a person is not signed in to it any more. There is one message for each known
    /// session, since some clients can find their session only by that. If no session is known, and the app accepts it,
    /// the message is about the person as a whole.
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

    /// Tells the clients about sessions that have ended, for whatever reason.
    /// - Parameter limit: the maximum number of browser sessions.
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

    /// Queues a logout token, if the app has an address for it.
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
