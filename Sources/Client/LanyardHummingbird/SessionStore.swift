import Foundation
import Synchronization

/// A browser session of a signed-in person.
public struct Session: Codable, Equatable, Sendable {
    public var person: SignedInPerson
    /// Used once a day to ask the service whether the person may still use the app. Secret.
    public var refreshToken: String?
    /// When the service last confirmed that the person may use the app.
    public var checkedAt: Date
    /// When the session ends.
    public var expiresAt: Date
}

extension Session: CustomReflectable {
    /// Hides the secrets, so that they do not get into a log.
    public var customMirror: Mirror { Mirror(self, children: ["person": person], displayStyle: .struct) }
}

/// Stores sessions in the app, so that it can list or end them. Without a store, each browser keeps its own session in
/// an encrypted cookie.
///
/// Each method takes effect before it returns, since a session that was removed must not be found again. What a method
/// throws, the request fails with: nobody is signed in or out by it. The store may delete sessions after
/// ``Session/expiresAt``; if it does not, they are not accepted any more all the same.
public protocol SessionStore: Sendable {
    /// The session with this id; nil if there is none.
    /// - Parameter id: 43 characters of base64url: a hash of the browser's key, so that the content of the store gives
    ///   no access.
    func session(_ id: String) async throws -> Session?
    /// Stores a session, replacing an earlier one with the same id. Called when a person signs in, and once a day when
    /// the service has confirmed the session.
    func put(_ session: Session, id: String) async throws
    /// Ends one session, if it is there.
    func remove(_ id: String) async throws
    /// Ends all sessions of a person that began at this time or before.
    /// - Parameters:
    ///   - id: the `id` of ``SignedInPerson``, not that of a session.
    ///   - time: to be compared with the person's `signedInAt`.
    func removeAll(ofPerson id: String, until time: Date) async throws
}

/// Stores sessions in memory until the program ends, for trials.
public final class MemorySessionStore: SessionStore {
    private let sessions = Mutex<[String: Session]>([:])

    public init() {}

    public func session(_ id: String) -> Session? {
        sessions.withLock { $0[id] }
    }

    public func put(_ session: Session, id: String) {
        sessions.withLock { $0[id] = session }
    }

    public func remove(_ id: String) {
        _ = sessions.withLock { $0.removeValue(forKey: id) }
    }

    public func removeAll(ofPerson id: String, until time: Date) {
        sessions.withLock { sessions in
            sessions = sessions.filter { $0.value.person.id != id || $0.value.person.signedInAt > time }
        }
    }
}
