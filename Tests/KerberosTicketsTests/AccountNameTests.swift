import Foundation
import Testing

@testable import KerberosTickets

@Suite struct AccountNameTests {
    /// As domain controllers write it, MS-PAC §2.10.
    private static func buffer(_ upn: String, flags: UInt8, account: String? = nil) -> Data {
        func little(_ number: Int) -> Data { Data([UInt8(number & 255), UInt8(number >> 8)]) }
        func units(_ text: String) -> Data { text.utf16.reduce(into: Data()) { $0 += little(Int($1)) } }
        let head = account == nil ? 16 : 24
        let name = units(account ?? "")
        var data = little(units(upn).count) + little(head + name.count) + little(0) + little(head)
        data += Data([flags, 0, 0, 0])
        data += account == nil ? Data(count: 4) : little(name.count) + little(head) + Data(count: 8)
        return data + name + units(upn)
    }

    @Test("the account’s own name is read, or that of which its other name is made")
    func names() throws {
        #expect(try AccountName.read(Self.buffer("nadia$@ad.test", flags: 3, account: "nadia$")) == "nadia$")
        #expect(try AccountName.read(Self.buffer("anna.lee@maple.test", flags: 2, account: "alee")) == "alee")
        #expect(try AccountName.read(Self.buffer("안나@maple.test", flags: 2, account: "안나")) == "안나")
        #expect(try AccountName.read(Self.buffer("pc7$@ad.test", flags: 1)) == "pc7$")
        // Somebody may be called like a computer in mail.
        #expect(try AccountName.read(Self.buffer("pc7$@ad.test", flags: 0)) == nil)
        // What Samba 4.17 has written for the computer nadia$, which has asked for a ticket for nadia.
        let samba = """
            2a0018001c004800030000000c0068001c007400000000006e00610064006900610024004000610064002e0073006300
            68006f006f006c002e007400650073007400000000000000410044002e005300430048004f004f004c002e0054004500
            53005400000000006e0061006400690061002400010500000000000515000000e5c170eb6e40be1c72dccad956040000
            """.filter(\.isHexDigit)
        let bytes = stride(from: 0, to: samba.count, by: 2).compactMap {
            UInt8(samba.dropFirst($0).prefix(2), radix: 16)
        }
        #expect(try AccountName.read(Data(bytes)) == "nadia$")
    }

    @Test("a buffer that is cut off, or points outside of itself, is refused")
    func malformed() {
        let whole = Self.buffer("nadia$@ad.test", flags: 3, account: "nadia$")
        // The name ends where the other one begins.
        for length in 0..<(24 + 12) {
            #expect(throws: TicketRefusal.malformed, "\(length)") { try AccountName.read(whole.prefix(length)) }
        }
        for (place, value) in [(12, UInt8(11)), (12, 254), (15, 255)] {
            var data = whole
            data[place] = value
            #expect(throws: TicketRefusal.malformed, "\(place)") { try AccountName.read(data) }
        }
    }
}
