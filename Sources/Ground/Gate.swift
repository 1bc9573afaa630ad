import Synchronization

/// A semaphore for each key: at most `width` tasks run at once, and others wait in order of arrival.
package final class Gate<Key: Hashable & Sendable>: Sendable {
    private struct Passage {
        var inside = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let width: Int
    /// The keys for which tasks run or wait.
    private let passages = Mutex<[Key: Passage]>([:])

    package init(width: Int) { self.width = width }

    package func pass<Value: Sendable>(_ key: Key, _ body: () async throws -> Value) async rethrows -> Value {
        await enter(key)
        defer { leave(key) }
        return try await body()
    }

    private func enter(_ key: Key) async {
        await withCheckedContinuation { continuation in
            let isFree = passages.withLock { passages in
                var passage = passages[key] ?? Passage()
                let isFree = passage.inside < width
                if isFree { passage.inside += 1 } else { passage.waiting.append(continuation) }
                passages[key] = passage
                return isFree
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave(_ key: Key) {
        let next: CheckedContinuation<Void, Never>? = passages.withLock { passages in
            guard var passage = passages[key] else { return nil }
            let next = passage.waiting.isEmpty ? nil : passage.waiting.removeFirst()
            if next == nil { passage.inside -= 1 }
            passages[key] = passage.inside > 0 ? passage : nil
            return next
        }
        next?.resume()
    }
}
