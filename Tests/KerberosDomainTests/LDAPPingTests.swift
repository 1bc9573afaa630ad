import Foundation
import Ground
import SeededNumbers
import Testing

@testable import KerberosDomain

/// The form of [MS-ADTS] 6.3.1.9 and 6.3.3; docs/specifications/extensible-single-sign-on.md, 24.5 and 24.6.
@Suite struct LDAPPingTests {
    /// The structure, byte by byte.
    static let netlogon = bytes(
        """
        1700 0000 fdf30300                          code 23, padding, flags
        00010203 0405 0607 08090a0b0c0d0e0f         the domain's number
        04 636f7270 04 74657374 00                  forest: corp.test, from 24 on
        c018                                        domain: the same
        03 646331 c018                              host: dc1.corp.test
        04 434f5250 00                              short name of the domain: CORP
        03 444331 00                                short name of the controller: DC1
        00                                          no user
        0d 4d61696e2d4275696c64696e67 00            its site: Main-Building, from 55 on
        c037                                        the client's site: the same
        05000000 ffff ffff                          versions
        """)
    /// The search result entry around it, with lengths as Microsoft writes them, and the end of the search behind it.
    static let datagram =
        bytes(
            """
            30 840000007d 020107                    message 7
            64 8400000074 0400                      entry for the root
            30 840000006c                           attributes
            30 8400000066 0408 4e65746c6f676f6e     Netlogon
            31 8400000056 04 8400000050
            """) + netlogon
        + bytes("30 8400000010 020107 65 8400000007 0a0100 0400 0400")

    /// Reads hexadecimal digits from the beginning of each line, up to two spaces.
    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.split(separator: "\n").map {
            $0.prefix(upTo: $0.firstRange(of: "  ")?.lowerBound ?? $0.endIndex)
        }
        .joined().filter { $0 != " " }
        return stride(from: 0, to: digits.count, by: 2).map { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)!
        }
    }

    private static func answer(_ datagram: [UInt8], domain: String = "corp.test") -> DomainControllerDescription? {
        LDAPPing.answer(datagram, domain: domain, number: 7)
    }

    @Test("the question is a search for Netlogon with the domain's name and the version")
    func question() {
        let expected = Self.bytes(
            """
            30 4b 02 01 07                          message 7
            63 46 0400 0a0100 0a0100 020100 020100 010100
            a0 27                                   and
            a3 16 0409 446e73446f6d61696e 0409 636f7270 2e 74657374
            a3 0d 0405 4e74566572 0404 06000000     NtVer
            30 0a 0408 4e65746c6f676f6e             Netlogon
            """)
        #expect(LDAPPing.question(domain: "corp.test", number: 7) == expected)
        let long = LDAPPing.question(domain: String(repeating: "a", count: 250), number: .max)
        var reader = BER(long[...])
        var inner = reader.enter(BER.sequence)
        #expect(inner?.integer() == .max && inner?.enter(0x63) != nil)
    }

    @Test("an answer is read, with names whose ends stand elsewhere")
    func whole() throws {
        let answer = try #require(Self.answer(Self.datagram))
        #expect(answer.forest == "corp.test" && answer.domain == "corp.test" && answer.host == "dc1.corp.test")
        #expect(answer.shortDomain == "CORP" && answer.shortHost == "DC1")
        #expect(answer.controllerSite == "Main-Building" && answer.clientSite == "Main-Building")
        #expect(answer.flags.contains([.primary, .keyDistributionCenter, .closest, .writable, .ldap]))
        #expect(!answer.flags.contains(DomainControllerDescription.Flags(rawValue: 2)))
    }

    @Test("an answer for another domain, with another number or of another form is none")
    func others() {
        #expect(Self.answer(Self.datagram, domain: "other.test") == nil)
        #expect(Self.answer(Self.datagram, domain: "CORP.test") != nil)
        #expect(LDAPPing.answer(Self.datagram, domain: "corp.test", number: 8) == nil)
        let start = Self.datagram.firstRange(of: Self.netlogon)!.lowerBound
        for (offset, byte) in [(0, UInt8(19)), (24, 0xff), (25, 0x20), (35, 0x80), (36, 0xff), (36, 35), (37, 64)] {
            var copy = Self.datagram
            copy[start + offset] = byte
            #expect(Self.answer(copy) == nil, "\(offset)")
        }
        // 25 is for a user that is not there.
        var copy = Self.datagram
        copy[start] = 25
        #expect(Self.answer(copy) != nil)
    }

    @Test("a client without a site has none, and neither has one whose site could be another name")
    func site() throws {
        let start = Self.datagram.firstRange(of: Self.netlogon)!.lowerBound
        var copy = Self.datagram
        // The reference at 70 now leads to the empty name of the user.
        copy[start + 71] = 54
        #expect(try #require(Self.answer(copy)).clientSite == nil)
        copy = Self.datagram
        copy[start + 60] = UInt8(ascii: ".")
        let dotted = try #require(Self.answer(copy))
        #expect(dotted.clientSite == nil && dotted.controllerSite == nil)
    }

    @Test("names that refer to themselves, to each other or forward end")
    func loops() {
        let start = Self.datagram.firstRange(of: Self.netlogon)!.lowerBound
        for target in 0..<80 {
            for place in [24, 35, 41, 70] {
                var copy = Self.datagram
                copy[start + place] = 0xc0
                copy[start + place + 1] = UInt8(target)
                let answer = Self.answer(copy)
                if target >= place { #expect(answer == nil, "\(place) → \(target)") }
            }
        }
    }

    @Test("whatever is cut off, there is no answer")
    func cutOff() {
        for count in 0..<(Self.datagram.count - 22) {
            #expect(Self.answer(Array(Self.datagram.prefix(count))) == nil, "\(count)")
        }
    }

    @Test("whatever is changed, reading ends", arguments: 1...8 as ClosedRange<UInt64>)
    func damaged(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2500 {
            var copy = Self.datagram
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                copy[Int.random(in: 0..<copy.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let answer = Self.answer(copy) {
                #expect(answer.domain == "corp.test", "\(copy.hexadecimal)")
                #expect(!answer.host.isEmpty && answer.host.utf8.count <= 253, "\(copy.hexadecimal)")
            }
        }
        for _ in 0..<2500 {
            let noise = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(Self.answer(noise) == nil, "\(noise.hexadecimal)")
        }
    }

    @Test("numbers are written as short as they can be, and read again")
    func numbers() {
        for number: Int32 in [0, 1, 127, 128, 255, 256, 32_767, 32_768, 65_536, .max] {
            var reader = BER(BER.integer(number)[...])
            #expect(reader.integer() == number)
        }
        #expect(BER.integer(128) == [2, 2, 0, 128])
        var negative = BER([2, 1, 0xff])
        #expect(negative.integer() == -1)
    }
}
