import Testing

@testable import RosterFiles

@Suite struct CSVWriterTests {
    private func write(_ rows: [[String]], separator: UInt8 = UInt8(ascii: ",")) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try withUnsafeMutablePointer(to: &bytes) { pointer in
            var writer = CSVWriter(separator: separator) { pointer.pointee.append(contentsOf: $0) }
            for row in rows {
                for value in row { writer.append(value) }
                try writer.endRow()
            }
            try writer.finish()
        }
        return bytes
    }

    @Test("quotes stand only where a value needs them")
    func quotesWhereNeeded() throws {
        let bytes = try write([["plain", "two words", "a,b", "a;b", #"say "hi""#, #"a\b"#, "two\nlines", ""], [""]])
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"plain,"two words","a,b","a;b","say \"hi\"","a\\b","two\"# + "\nlines\",\n\"\"\n")
    }

    @Test("whatever is written is read back byte for byte", arguments: [UInt8(ascii: ","), UInt8(ascii: ";")])
    func roundTrips(separator: UInt8) throws {
        var random = SplitMix64(seed: 20_220_610)
        let alphabet = Array("ab \t,;\"\"\\\\\n\r\u{0}\u{7F}é„“한😀\u{FEFF}").map(String.init) + ["\r\n"]
        for _ in 0..<3_000 {
            let columns = Int.random(in: 1...5, using: &random)
            let rows = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                (0..<columns).map { _ in
                    (0..<Int.random(in: 0...8, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
                        .joined()
                }
            }
            let bytes = try write(rows, separator: separator)
            let window = Int.random(in: 1...64, using: &random)
            let read = try csvRows(bytes, separator: separator, windowBytes: window).map(\.values)
            #expect(read == rows.map { $0.map { Array($0.utf8) } })
        }
    }

    @Test("values longer than a chunk are written and read back")
    func writesLongValues() throws {
        let value = String(repeating: "\"\\\n,", count: 60_000)
        let read = try csvRows(write([[value, "x"], ["y", value]])).map(\.values)
        #expect(read == [[Array(value.utf8), [0x78]], [[0x79], Array(value.utf8)]])
    }
}

/// Repeatable randomness. Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
