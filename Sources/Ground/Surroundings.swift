#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The clock and the source of randomness, passed in so that tests can control them.
package struct Surroundings: Sendable {
    package let now: @Sendable () -> Date
    /// Returns the given number of random bytes, which are cryptographically secure.
    package let randomBytes: @Sendable (Int) -> [UInt8]

    package init(
        now: @escaping @Sendable () -> Date,
        randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.now = now
        self.randomBytes = randomBytes
    }

    /// The system's clock and random number generator.
    package static let system = Surroundings(
        now: { Date() },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            // Each `next()` is a system call, so take eight bytes from each.
            let words = (0..<(count + 7) / 8).map { _ in generator.next() }
            return Array(words.withUnsafeBytes { $0.prefix(count) })
        })
}

extension Surroundings {
    /// A UUID of version 4, with 122 random bits. RFC 9562 §5.4.
    package func randomUUID() -> UUID {
        let b = randomBytes(16)
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6] & 0x0f | 0x40, b[7],
                b[8] & 0x3f | 0x80, b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }

    /// `count` characters of an alphabet, uniformly distributed.
    /// - Parameter alphabet: of 1 to 256 characters.
    package func randomText(_ count: Int, from alphabet: String) -> String {
        let characters = Array(alphabet)
        // Bytes beyond the largest multiple of the alphabet's size are skipped: they would favour its first characters.
        let usable = 256 - 256 % characters.count
        var text: [Character] = []
        while text.count < count {
            text += randomBytes(count - text.count).filter { Int($0) < usable }
                .map { characters[Int($0) % characters.count] }
        }
        return String(text)
    }
}
