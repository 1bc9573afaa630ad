import Foundation

/// Time and randomness, passed in so that tests can hold them still.
package struct Surroundings: Sendable {
    package let now: @Sendable () -> Date
    /// So many random bytes, fit for secrets.
    package let randomBytes: @Sendable (Int) -> [UInt8]

    package init(
        now: @escaping @Sendable () -> Date,
        randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.now = now
        self.randomBytes = randomBytes
    }

    /// The machine's clock and its random number generator.
    package static let system = Surroundings(
        now: { Date() },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        })
}
