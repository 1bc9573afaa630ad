import Fixtures
import Foundation
import Ground
import Testing

@Suite struct SurroundingsTests {
    /// RFC 9562 §5.4.
    @Test("a random UUID says that it is one, and all else in it is random", arguments: [UInt8(0x00), 0xff])
    func uuid(byte: UInt8) {
        let surroundings = Surroundings(now: { Date() }, randomBytes: { Array(repeating: byte, count: $0) })
        let expected = byte == 0 ? "00000000-0000-4000-8000-000000000000" : "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF"
        #expect(surroundings.randomUUID().uuidString == expected)
    }

    @Test("no two random UUIDs are the same")
    func different() {
        let surroundings = FixedSurroundings().surroundings
        #expect(Set((0..<1_000).map { _ in surroundings.randomUUID() }).count == 1_000)
    }

    @Test("a stopwatch runs on from when it was made")
    func stopwatch() async throws {
        let stopwatch = Stopwatch()
        let first = stopwatch.elapsed
        try await Task.sleep(for: .milliseconds(2))
        #expect(first >= .zero && stopwatch.elapsed >= first + .milliseconds(2))
    }
}
