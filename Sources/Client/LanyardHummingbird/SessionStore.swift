import Foundation
import Synchronization

/// A browser in which somebody is signed in.
public struct Session: Codable, Equatable, Sendable {
    public var person: SignedInPerson
    /// With which the service is asked once a day whether the person may still use the app. Secret.
    public var refreshToken: String?
    /// When the service last said that all is well.
    public var checkedAt: Date
    public var expiresAt: Date
}

extension Session: CustomReflectable {
    /// Without what is secret, so that it does not get into a log.
    public var customMirror: Mirror { Mirror(self, children: ["person": person], displayStyle: .struct) }
}

/// Keeps sessions on the app's side, for an app that wants to list or end them. Without one, each browser keeps its own,
/// sealed.
public protocol SessionStore: Sendable {
    /// - Parameter id: Not what the browser has, but a hash of it: whoever reads the store cannot use it.
    func session(_ id: String) async throws -> Session?
    /// Puts a session in, or in the place of the one before.
    func put(_ session: Session, id: String) async throws
    func remove(_ id: String) async throws
    /// Ends all sessions of a person that began at this time or before.
    func removeAll(ofPerson id: String, until time: Date) async throws
}

/// Keeps sessions until the program ends: for trying things out.
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
