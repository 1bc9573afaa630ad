import Crypto
import Directory
import Fixtures
import Foundation
import Ground
import Testing
@testable import Authorization

@Suite struct PageTokenTests {
    private static let key = SymmetricKey(data: Data(repeating: 7, count: 32))
    private static let now = FixedSurroundings.start

    private static func binding(_ endpoint: String = "users", app: Int64 = 1, organization: Int64 = 1)
        -> PageToken.Binding
    {
        .init(endpoint: endpoint, app: AppID(rawValue: app), organization: OrganizationID(rawValue: organization))
    }

    @Test("what was sealed is opened again", arguments: [nil, RosterRole.student, .instructor, .staff])
    func roundTrip(_ role: RosterRole?) throws {
        for last in [1, 255, 65_536, Int64.max] {
            let token = PageToken(last: last, role: role, expiresAt: Self.now.addingTimeInterval(1))
            let text = token.seal(for: Self.binding(), with: Self.key)
            #expect(text.utf8.count == 60)
            let opened = try PageToken.open(text, for: Self.binding(), with: Self.key, at: Self.now)
            #expect(opened == token)
        }
    }

    @Test(
        "the time may be after 2106, before 1970 and in the year 9999",
        arguments: [4_294_967_296, 4_300_000_000, -86_400, -1, 0, 253_402_300_799] as [TimeInterval])
    func distantTimes(_ seconds: TimeInterval) throws {
        let now = Date(timeIntervalSince1970: seconds)
        let token = PageToken(last: 7, role: .staff, expiresAt: now.addingTimeInterval(60))
        let text = token.seal(for: Self.binding(), with: Self.key)
        #expect(try PageToken.open(text, for: Self.binding(), with: Self.key, at: now) == token)
        #expect(throws: RosterRefusal.self) {
            try PageToken.open(text, for: Self.binding(), with: Self.key, at: now.addingTimeInterval(60))
        }
    }

    @Test("a token with four bytes of time, as they were before, is good until it expires")
    func formerTokens() throws {
        let expiry = UInt32(Self.now.timeIntervalSince1970) + 60
        let payload: [UInt8] =
            [0, 0, 0, 0, 0, 0, 18, 103] + (0..<4).map { UInt8(truncatingIfNeeded: expiry >> (24 - 8 * $0)) } + [1]
        let box = try AES.GCM.seal(payload, using: Self.key, authenticating: Data("users 1 1".utf8))
        let text = try #require(box.combined).base64URLEncoded
        let opened = try PageToken.open(text, for: Self.binding(), with: Self.key, at: Self.now)
        #expect(opened.last == 4_711 && opened.role == RosterRole.allCases[0])
        #expect(throws: RosterRefusal.self) {
            try PageToken.open(text, for: Self.binding(), with: Self.key, at: Self.now.addingTimeInterval(60))
        }
    }

    @Test("a token says nothing of where the page ends, and no two are alike")
    func encrypted() throws {
        let token = PageToken(last: 4_711, role: .student, expiresAt: Self.now.addingTimeInterval(60))
        let texts = (0..<8).map { _ in token.seal(for: Self.binding(), with: Self.key) }
        #expect(Set(texts).count == texts.count)
        let id = withUnsafeBytes(of: Int64(4_711).bigEndian) { Data($0) }
        for text in texts {
            let sealed = try #require(Data(base64URLEncoded: text))
            #expect(sealed.range(of: id) == nil)
        }
    }

    @Test("a change of any character is refused")
    func tampering() throws {
        let text = PageToken(last: 4_711, role: .student, expiresAt: Self.now.addingTimeInterval(60))
            .seal(for: Self.binding(), with: Self.key)
        for index in text.indices {
            for other in "AQgwz019-_.=%" where other != text[index] {
                var changed = text
                changed.replaceSubrange(index...index, with: String(other))
                #expect(throws: RosterRefusal.self, "\(changed)") {
                    try PageToken.open(changed, for: Self.binding(), with: Self.key, at: Self.now)
                }
            }
        }
        for changed in ["", String(text.dropLast()), text + "A", text + "=", text + text] {
            #expect(throws: RosterRefusal.self) {
                try PageToken.open(changed, for: Self.binding(), with: Self.key, at: Self.now)
            }
        }
    }

    @Test("another endpoint, app, organization or key, and a second too late, are refused")
    func binding() throws {
        let token = PageToken(last: 5, role: nil, expiresAt: Self.now.addingTimeInterval(60))
        let text = token.seal(for: Self.binding("classes/1/users", app: 12, organization: 3), with: Self.key)
        for binding in [
            Self.binding("classes/11/users", app: 2, organization: 3),
            Self.binding("classes/1/users", app: 1, organization: 23),
            Self.binding("classes/2/users", app: 12, organization: 3),
            Self.binding("classes/1/users", app: 13, organization: 3),
            Self.binding("classes/1/users", app: 12, organization: 4),
            Self.binding("classes/1/users 12", app: 3, organization: 3),
        ] {
            #expect(throws: RosterRefusal.self) { try PageToken.open(text, for: binding, with: Self.key, at: Self.now) }
        }
        let right = Self.binding("classes/1/users", app: 12, organization: 3)
        let other = SymmetricKey(data: Data(repeating: 8, count: 32))
        #expect(throws: RosterRefusal.self) { try PageToken.open(text, for: right, with: other, at: Self.now) }
        #expect(throws: RosterRefusal.self) {
            try PageToken.open(text, for: right, with: Self.key, at: Self.now.addingTimeInterval(60))
        }
        #expect(try PageToken.open(text, for: right, with: Self.key, at: Self.now.addingTimeInterval(59)) == token)
    }
}
