import Fixtures
import Ground
import SeededNumbers
import Testing

@Suite struct PrintableTests {
    /// All Unicode scalars.
    private static var scalars: some Sequence<Unicode.Scalar> {
        (0...0x10_ffff).lazy.compactMap { Unicode.Scalar(UInt32($0)) }
    }

    /// General category Cc, Zl and Zp of Unicode; the first two are complete for good.
    private static func endsLineOrSteers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1f, 0x7f...0x9f, 0x2028, 0x2029: true
        default: false
        }
    }

    @Test("of all scalars, those that steer a terminal or end a line are in no line")
    func steering() {
        for scalar in Self.scalars where Self.endsLineOrSteers(scalar) {
            let text = "a\(scalar)b"
            #expect(text.inOneLine() == "a b" && text.withoutControls == "a b")
            #expect(text.printable() == "a\\u{\(String(scalar.value, radix: 16))}b")
            #expect(text.printable(keepsLines: true) == (scalar == "\n" ? text : text.printable()))
        }
    }

    @Test(
        "of all scalars, every other is in a header, and in a line unless it is not seen or not the same for everybody")
    func others() {
        var (hidden, kept) = (0, 0)
        for scalar in Self.scalars where !Self.endsLineOrSteers(scalar) {
            let text = String(String.UnicodeScalarView([scalar]))
            let isJoiner = scalar == "\u{200c}" || scalar == "\u{200d}"
            let isFormat = scalar.properties.generalCategory == .format && !isJoiner
            let isPrivate = scalar.properties.generalCategory == .privateUse
            let (line, shown, header) = (text.inOneLine(), text.printable(), text.withoutControls)
            let expected: Unicode.Scalar = isFormat || isPrivate ? "\u{fffd}" : scalar
            let isRight =
                line.unicodeScalars.elementsEqual([expected]) && header.unicodeScalars.elementsEqual([scalar])
                && (isFormat ? shown.hasPrefix("\\u{") : shown.unicodeScalars.elementsEqual([scalar]))
            #expect(isRight, "U+\(String(scalar.value, radix: 16))")
            if isFormat || isPrivate { hidden += 1 } else { kept += 1 }
        }
        // Half of the planes are for private use or noncharacters; most of the rest is a letter, or may be one.
        #expect(hidden > 137_000 && kept > 900_000)
    }

    @Test("of all scalars, the control characters are those of the category, and a header's are those of ASCII")
    func controls() {
        for scalar in Self.scalars {
            let isRight =
                scalar.isControlCode == (scalar.properties.generalCategory == .control)
                && scalar.isASCIIControl == (scalar.isASCII && scalar.isControlCode)
            #expect(isRight, "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test(
        "what turns the text around it is in no line, and in no name",
        arguments: Array(0x202a...0x202e) + Array(0x2066...0x2069))
    func turning(value: Int) throws {
        let scalar = try #require(Unicode.Scalar(UInt32(value)))
        #expect(scalar.isDirectionControl && scalar.isInvisible)
        #expect("a\(scalar)b".withoutDirectionControls == "ab")
        #expect("a\(scalar)b".inOneLine() == "a\u{fffd}b")
    }

    @Test("only those turn a text, and marks of a direction stay in a name")
    func onlyThose() {
        #expect(Self.scalars.count { $0.isDirectionControl } == 9)
        #expect("a\u{200e}\u{200f}b\u{200d}".withoutDirectionControls == "a\u{200e}\u{200f}b\u{200d}")
    }

    @Test("what is said twice is said the same")
    func again() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            var view = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                let range: ClosedRange<UInt32> = Bool.random(using: &generator) ? 0...0x2fff : 0...0x10_ffff
                if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) { view.append(scalar) }
            }
            let text = String(view)
            #expect(text.inOneLine().inOneLine() == text.inOneLine())
            #expect(text.printable().printable() == text.printable())
            #expect(text.inOneLine().unicodeScalars.count == text.unicodeScalars.count)
            #expect(
                text.inOneLine(scalarsMax: 3).unicodeScalars.elementsEqual(text.inOneLine().unicodeScalars.prefix(3)))
        }
    }

    @Test("a line is cut by scalars, of which one character may have any number")
    func cut() {
        let long = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(long.inOneLine(scalarsMax: 500).unicodeScalars.count == 500)
        #expect(String(repeating: "x", count: 501).inOneLine(scalarsMax: 500).count == 500)
    }

    // MARK: How far texts are apart

    @Test(
        "two texts are as far apart as letters have to be changed",
        arguments: [
            ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("givenName", "givenname", 1),
            ("ab", "ba", 2), ("flaw", "lawn", 2),
        ])
    func distance(left: String, right: String, expected: Int) {
        #expect(Array(left).editDistance(to: Array(right)) == expected)
        #expect(Array(right.utf8).editDistance(to: Array(left.utf8)) == expected)
    }

    @Test("a distance is one: none to itself, the same both ways, and never shortened by a third")
    func metric() {
        var generator = SeededGenerator(seed: 6)
        func some() -> [Int] {
            (0..<Int.random(in: 0...7, using: &generator)).map { _ in Int.random(in: 0...2, using: &generator) }
        }
        for _ in 0..<2_000 {
            let (a, b, c) = (some(), some(), some())
            let distance = a.editDistance(to: b)
            #expect((distance == 0) == (a == b))
            #expect(distance == b.editDistance(to: a))
            #expect(distance <= a.editDistance(to: c) + c.editDistance(to: b))
            #expect(distance >= abs(a.count - b.count) && distance <= max(a.count, b.count))
        }
    }
}
