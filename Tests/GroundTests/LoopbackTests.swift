import Ground
import Fixtures
import Ground
import SeededNumbers
import Testing

@Suite struct LoopbackTests {
    @Test(
        "every spelling of the machine itself is loopback",
        arguments: [
            "localhost", "LocalHost", "localhost.", "app.localhost", "App.LOCALHOST.", "127.0.0.1", "127.9.9.9",
            "127.255.255.255", "::1", "[::1]",
        ])
    func loopback(_ host: String) {
        #expect(Loopback.contains(host: host))
    }

    @Test(
        "other hosts are not, whatever they look like",
        arguments: [
            "", ".", "localhost.example", "notlocalhost", "localhost..", "127.0.0.1.example", "127.0.0.example",
            "127.example", "127.0.0.256", "128.0.0.1", "10.0.0.1", "::10", "::1.", "[::1", "[localhost]",
            // Spellings of 127.0.0.1 that programs read differently.
            "127.1", "127.0.0.01", "0177.0.0.1", "2130706433", "127.0.0.+1", "127.0.0.1.", "0x7f.0.0.1",
            // Letters that some take for those of localhost.
            "ｌocalhost", "localhoſt", "localho\u{301}st",
        ])
    func elsewhere(_ host: String) {
        #expect(!Loopback.contains(host: host))
    }

    // MARK: Of all

    @Test("127.0.0.0/8 is loopback and no other address is, and no name whose end is not localhost")
    func all() {
        var generator = SeededGenerator(seed: 7)
        func byte() -> Int { .random(in: 0...255, using: &generator) }
        func anyCase(_ text: String) -> String {
            String(text.map { Bool.random(using: &generator) ? Character($0.uppercased()) : $0 })
        }
        for _ in 0..<1_000 {
            let first = Bool.random(using: &generator) ? 127 : byte()
            let address = "\(first).\(byte()).\(byte()).\(byte())"
            #expect(Loopback.contains(host: address) == (first == 127), "\(address)")
            // Other programs take these for other addresses or for names.
            for spelling in [
                "0\(address)", "\(address).", ".\(address)", "\(address).0", "[\(address)]", "\(address):1",
            ] {
                #expect(!Loopback.contains(host: spelling), "\(spelling)")
            }

            let label = String(
                (0...Int.random(in: 0...5, using: &generator)).map { _ in "ab1-.".randomElement(using: &generator)! })
            for name in ["localhost", "\(label).localhost", "localhost.", "\(label).localhost."] {
                #expect(Loopback.contains(host: anyCase(name)), "\(name)")
            }
            for name in ["\(label)localhost\(label)", "localhost.\(label)x", "localhost\(label)", label] {
                let isUnder = name.hasSuffix(".localhost") || name.hasSuffix(".localhost.")
                #expect(Loopback.contains(host: name) == (isUnder || name == "localhost."), "\(name)")
            }
        }
    }
}
