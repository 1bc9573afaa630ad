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
public protocol SessionStore: Sendable {
    /// - Parameter id: a hash of the browser's key, so that the content of the store gives no access.
    func session(_ id: String) async throws -> Session?
    /// Stores a session, replacing an earlier one with the same id.
    func put(_ session: Session, id: String) async throws
    func remove(_ id: String) async throws
    /// Ends all sessions of a person that began at this time or before.
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
