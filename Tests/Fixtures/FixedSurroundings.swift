import Directory
import Foundation
import Ground
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

/// SplitMix64: the same numbers for the same seed, on every machine.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
