import Foundation
import SingleSignOn
import SingleSignOnWire
import Testing

@Suite struct PropertyListTests {
    static let value = PropertyListValue.dictionary([
        "text": .string("1 < 2 & “three”"), "yes": .boolean(true), "no": .boolean(false), "one": .integer(1),
        "zero": .integer(0), "big": .integer(.max), "half": .real(0.5), "data": .data(Data([0, 255])),
        "day": .date(Date(timeIntervalSince1970: 1_800_000_000)), "empty": .array([]), "none": .dictionary([:]),
        "list": .array([.string("a"), .integer(-1), .dictionary(["b": .boolean(true)])]),
    ])

    @Test("what was written as XML is read as it was, booleans apart from numbers")
    func xml() throws {
        #expect(try PropertyListValue(reading: Self.value.xml) == Self.value)
        #expect(Self.value.xml == Self.value.xml)
    }

    @Test("a binary property list is read too")
    func binary() throws {
        let any = try PropertyListSerialization.propertyList(from: Self.value.xml, options: [], format: nil)
        let data = try PropertyListSerialization.data(fromPropertyList: any, format: .binary, options: 0)
        #expect(data.starts(with: Data("bplist".utf8)))
        #expect(try PropertyListValue(reading: data) == Self.value)
    }

    @Test func `XML that ends too early is said to, with the line and not with a remedy for something else`() {
        let reading = ProfileReading(Data("<plist>\n<dict>\n<key>a</key>\n".utf8))
        let error = reading.errors.first
        #expect(error?.problem.contains("after line 3") == true, "\(String(describing: error))")
        #expect(error?.remedy?.contains("root <dict>") == false)
    }

    @Test(
        "what is none is refused with a reason",
        arguments: [
            "", " ", "{ a = 1; }", "hello", "{\"a\": 1}", "<plist><dict><key>a</key></dict></plist>",
            "<plist><dict><key>a</key><string>x</dict></plist>", "<html><body>Not found</body></html>", "<plist>",
            "bplist00", "bplist00garbage that is long enough for a trailer of thirty-two bytes",
            "<!DOCTYPE plist [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><plist><string>&x;</string></plist>",
        ])
    func none(_ text: String) {
        #expect(throws: PropertyListValue.ReadingError.self) { try PropertyListValue(reading: Data(text.utf8)) }
    }

    @Test(
        "an XML property list is read as others write it",
        arguments: [
            ("<string/>", .string("")), ("<string> a\n</string>", .string(" a\n")),
            ("<string>&amp;&lt;&gt;&quot;&apos;&#65;&#x1F600;</string>", .string("&<>\"'A😀")),
            ("<string>a<![CDATA[<&]]><!-- x -->b</string>", .string("a<&b")),
            ("<real>5</real>", .real(5)), ("<real> -1.5e3 </real>", .real(-1500)),
            ("<integer>5</integer>", .integer(5)),
            ("<integer> +7 </integer>", .integer(7)), ("<integer>-0x1F</integer>", .integer(-31)),
            ("<integer>-9223372036854775808</integer>", .integer(.min)), ("<true></true>", .boolean(true)),
            ("<false />", .boolean(false)), ("<data>\n\tAAEC\n</data>", .data(Data([0, 1, 2]))),
            ("<array><!-- no --><true/> <?x y?><false/></array>", .array([.boolean(true), .boolean(false)])),
            ("<dict><key>a</key><true/><key>a</key><false/></dict>", .dictionary(["a": .boolean(false)])),
            ("<dict/>", .dictionary([:])), ("<string class=\"x\">a</string >", .string("a")),
            ("<string class=\"x>y\" lang='\">'>a</string>", .string("a")), ("<array class='/>'/>", .array([])),
        ] as [(String, PropertyListValue)])
    func readings(_ xml: String, _ value: PropertyListValue) throws {
        #expect(try PropertyListValue(reading: Data("<plist version=\"1.0\">\(xml)</plist>".utf8)) == value)
        #expect(try PropertyListValue(reading: Data("\u{FEFF}<?xml version=\"1.0\"?>\n\(xml)\n".utf8)) == value)
        let wide = try #require("\u{FEFF}<plist>\(xml)</plist>".data(using: .utf16LittleEndian))
        #expect(try PropertyListValue(reading: wide) == value)
    }

    @Test(
        "XML that is no property list is refused, and a reader finds the line",
        arguments: [
            "<plist><true/><true/></plist>", "<true/><true/>", "<plist/>", "<plist></plist>", "<true/> x",
            "<true>no</true>",
            "<string>a<b/></string>", "<string>a & b</string>", "<string>&nbsp;</string>", "<string>&#xD800;</string>",
            "<integer></integer>", "<integer>1.5</integer>", "<integer>--1</integer>", "<integer>0x</integer>",
            "<integer>٣</integer>", "<real></real>", "<real>1,5</real>", "<date>yesterday</date>", "<data>!</data>",
            "<dict><true/></dict>", "<dict><key>a</key></dict>", "<array>text</array>", "<array></dict>", "<String/>",
            "<key>a</key>", "<!DOCTYPE plist [<!ENTITY x \"a\">]><string>a</string>",
            "<!DOCTYPE plist [<!-- ]><string>a</string> -->]><string>b</string>",
        ])
    func refusals(_ xml: String) {
        #expect {
            try PropertyListValue(reading: Data("<?xml version=\"1.0\"?>\n\(xml)".utf8))
        } throws: {
            "\($0)".contains("in line 2.")
        }
    }

    @Test(
        "a number that extensions could not be told is refused, and said so",
        arguments: [
            "<real>nan</real>", "<real>inf</real>", "<real>-infinity</real>", "<integer>18446744073709551615</integer>",
        ])
    func numbers(_ number: String) throws {
        let xml = Data("<plist><dict><key>a</key>\(number)</dict></plist>".utf8)
        #expect { try PropertyListValue(reading: xml) } throws: {
            "\($0)".contains("number") || "\($0)".contains("integer")
        }
        // The same in a binary list: after the magic the real in 9 bytes, a table of one offset, and the trailer.
        let bits = number.contains("nan") ? Double.nan.bitPattern : Double.infinity.bitPattern
        var file = Data("bplist00".utf8) + [0x23] + withUnsafeBytes(of: bits.bigEndian) { Data($0) } + [8]
        file += Data([0, 0, 0, 0, 0, 0, 1, 1])
        for value: UInt8 in [1, 0, 17] { file += Data([0, 0, 0, 0, 0, 0, 0, value]) }
        #expect { try PropertyListValue(reading: file) } throws: { "\($0)".contains("no number") }
    }

    @Test("what is nested very deeply, or is very large, is refused and crashes nothing")
    func deep() {
        for depth in [100, 10_000, 1_000_000] {
            let text =
                "<plist>" + String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
                + "</plist>"
            #expect(throws: PropertyListValue.ReadingError.self) { try PropertyListValue(reading: Data(text.utf8)) }
        }
        let nested = String(repeating: "<array>", count: 100) + String(repeating: "</array>", count: 100)
        #expect { try PropertyListValue(reading: Data("<plist>\(nested)</plist>".utf8)) } throws: {
            "\($0)".contains("nested")
        }
        let large = Data("<plist><string>".utf8) + Data(repeating: 0x61, count: 9 << 20)
        #expect(throws: PropertyListValue.ReadingError.tooLarge(bytes: large.count)) {
            try PropertyListValue(reading: large)
        }
    }

    @Test("a binary list that holds itself, or the same value very often, is refused and hangs nothing")
    func shared() {
        // An array that contains itself, and a chain of 40 arrays, each of which contains the next one twice.
        let itself: [[UInt8]] = [[0, 0]]
        let often: [[UInt8]] = (0..<40).map { [$0 + 1, $0 + 1] } + [[]]
        for references in [itself, often] {
            var file = Data("bplist00".utf8)
            var offsets: [UInt8] = []
            for values in references {
                offsets.append(UInt8(file.count))
                file.append(contentsOf: [0xA0 | UInt8(values.count)] + values)
            }
            let table = UInt8(file.count)
            file.append(contentsOf: offsets)
            file.append(contentsOf: [0, 0, 0, 0, 0, 0, 1, 1])
            for number in [UInt8(offsets.count), 0, table] { file.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, number]) }
            #expect(throws: PropertyListValue.ReadingError.self) { try PropertyListValue(reading: file) }
        }
    }

    @Test("a file that was cut off or changed anywhere is read or refused, and crashes nothing")
    func damaged() throws {
        let any = try PropertyListSerialization.propertyList(from: Self.value.xml, options: [], format: nil)
        let binary = try PropertyListSerialization.data(fromPropertyList: any, format: .binary, options: 0)
        var random = SystemRandomNumberGenerator()
        for file in [Self.value.xml, binary] {
            for length in stride(from: 0, to: file.count, by: 7) {
                _ = try? PropertyListValue(reading: file.prefix(length))
            }
            for _ in 0..<3_000 {
                var changed = file
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    changed[Int.random(in: 0..<changed.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                _ = try? PropertyListValue(reading: changed)
            }
        }
    }
}
