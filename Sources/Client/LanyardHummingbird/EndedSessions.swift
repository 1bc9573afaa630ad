import Foundation
import Synchronization

/// Who has stopped using the app. A session that a browser keeps cannot be deleted, so it is refused; for as long as it takes
/// until the daily check finds out by itself, also in a process that has not heard of it.
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

/// The ids of notifications that have been acted on.
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
