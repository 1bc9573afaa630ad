import Foundation
import Synchronization

/// People whose sessions have ended. A session that the browser keeps cannot be deleted, so it is refused, until the
/// daily check would find out by itself in every process.
final class EndedSessions: Sendable {
    private let untilByPerson = Mutex<[String: Date]>([:])
    private static let memory: TimeInterval = 7 * 86_400

    func add(_ personID: String, until time: Date, now: Date) {
        untilByPerson.withLock { ended in
            ended = ended.filter { now < $0.value.addingTimeInterval(Self.memory) }
            ended[personID] = max(time, ended[personID] ?? .distantPast)
        }
    }

    func includes(_ person: SignedInPerson) -> Bool {
        untilByPerson.withLock { ended in
            ended[person.id].map { person.signedInAt <= $0 } ?? false
        }
    }
}

/// The ids of notifications that were processed.
final class SeenNotifications: Sendable {
    private let untilByID = Mutex<[String: Date]>([:])

    func contains(_ id: String) -> Bool {
        untilByID.withLock { $0[id] != nil }
    }

    func add(_ id: String, until time: Date, now: Date) {
        untilByID.withLock { seen in
            seen = seen.filter { now < $0.value }
            seen[id] = time
        }
    }
}
