import SeededNumbers
import Testing

@testable import RosterFiles

/// Random input for a bounded time: the reader must neither crash nor lose its place.
@Suite struct FuzzTests {
    private static let alphabet: [[UInt8]] =
        [
            "a", "1", "-", " ", "\t", ",", ";", "\"", "\"\"", "\\", "\\\"", "\n", "\r", "\r\n", "\0", "é", "“",
            "\u{FEFF}",
            "location_id", "A-1,One\n",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0x80], [0xE2, 0x80]]

    private func expectOrder(_ bytes: [UInt8], as file: RosterFile, _ random: inout SeededGenerator) throws {
        let lineBreaks = bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        let whole = try Reading(bytes, as: file)
        let inPieces = try Reading(bytes, as: file, pieceBytes: Int.random(in: 1...9, using: &random))
        let lines = whole.rows.map { Int($0[0])! }
        #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 < $1 }, "\(bytes)")
        #expect(whole.log.kept.allSatisfy { (1...(lineBreaks + 1)).contains($0.line ?? 1) }, "\(bytes)")
        #expect(whole.rows == inPieces.rows, "\(bytes)")
        #expect(whole.log.kept == inPieces.log.kept, "\(bytes)")
        #expect(whole.summary == inPieces.summary, "\(bytes)")
    }

    @Test("random rows are read the same whatever the size of the window")
    func readsThroughAnyWindow() throws {
        var random = SeededGenerator(seed: 3)
        let end = ContinuousClock.now + .seconds(3)
        while ContinuousClock.now < end {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).flatMap { _ in
                Self.alphabet.randomElement(using: &random)!
            }
            let whole = try csvRows(bytes)
            for windowBytes in 1...8 {
                let rows = try csvRows(bytes, windowBytes: windowBytes)
                #expect(rows.map(\.line) == whole.map(\.line), "\(bytes)")
                #expect(rows.map(\.values) == whole.map(\.values), "\(bytes)")
            }
        }
    }

    @Test("random bytes behind a header are read in order, the same in pieces as at once")
    func readsRandomBytes() throws {
        var random = SeededGenerator(seed: 1)
        let header = Array("location_id,location_name\n".utf8)
        let end = ContinuousClock.now + .seconds(3)
        while ContinuousClock.now < end {
            let body = (0..<Int.random(in: 0...60, using: &random)).flatMap { _ in
                Self.alphabet.randomElement(using: &random)!
            }
            try expectOrder((Bool.random(using: &random) ? header : []) + body, as: .locations, &random)
        }
    }

    @Test("mutated files are read in order, the same in pieces as at once")
    func readsMutations() throws {
        var random = SeededGenerator(seed: 2)
        let end = ContinuousClock.now + .seconds(3)
        while ContinuousClock.now < end {
            let file = RosterFile.allCases.randomElement(using: &random)!
            var bytes = Array(ExampleSetTests.files[file]!.utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.insert(contentsOf: Self.alphabet.randomElement(using: &random)!, at: place)
                default: bytes.insert(contentsOf: bytes[place..<min(place + 40, bytes.count)], at: 0)
                }
            }
            try expectOrder(bytes, as: file, &random)
        }
    }

    @Test("large random files grow the window and keep their order", arguments: 0..<2)
    func readsLargeRandomFiles(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var bytes = Array("location_id,location_name\n".utf8)
        while bytes.count < 3 << 19 {
            let piece = Self.alphabet.randomElement(using: &random)!
            let isLong = Int.random(in: 0..<400, using: &random) == 0
            for _ in 0..<(isLong ? Int.random(in: 1...60_000, using: &random) : 1) { bytes += piece }
        }
        let whole = try Reading(bytes, as: .locations)
        let inPieces = try Reading(bytes, as: .locations, pieceBytes: 4_099)
        let lines = whole.rows.map { Int($0[0])! }
        #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 < $1 })
        #expect(whole.rows == inPieces.rows)
        #expect(whole.log.counts == inPieces.log.counts)
    }
}
