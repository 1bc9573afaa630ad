import Directory
import Foundation
import Ground
import SeededNumbers
import Synchronization

/// A clock that stands still until a test moves it, and randomness that is the same in every run.
package final class FixedSurroundings: Sendable {
    private let clock: Mutex<Date>
    private let generator: Mutex<SeededGenerator>

    /// 2026-09-01T08:00:00Z, a first day of school.
    package static let start = Date(timeIntervalSince1970: 1_788_249_600)

    package init(seed: UInt64 = 1, now: Date = FixedSurroundings.start) {
        clock = Mutex(now)
        generator = Mutex(SeededGenerator(seed: seed))
    }

    package var now: Date { clock.withLock { $0 } }

    package func advance(by interval: TimeInterval) {
        clock.withLock { $0 += interval }
    }

    package var surroundings: Surroundings {
        Surroundings(
            now: { self.now },
            randomBytes: { count in
                self.generator.withLock { generator in
                    (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
                }
            })
    }
}
