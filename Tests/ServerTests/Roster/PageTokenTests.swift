import Authorization
import Crypto
import Directory
import Fixtures
import Foundation
import Testing
@testable import Server

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
            #expect(text.utf8.count == 55)
            let opened = try PageToken.open(text, for: Self.binding(), with: Self.key, at: Self.now)
            #expect(opened == token)
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
                #expect(throws: RosterError.self, "\(changed)") {
                    try PageToken.open(changed, for: Self.binding(), with: Self.key, at: Self.now)
                }
            }
        }
        for changed in ["", String(text.dropLast()), text + "A", text + "=", text + text] {
            #expect(throws: RosterError.self) {
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
            #expect(throws: RosterError.self) { try PageToken.open(text, for: binding, with: Self.key, at: Self.now) }
        }
        let right = Self.binding("classes/1/users", app: 12, organization: 3)
        let other = SymmetricKey(data: Data(repeating: 8, count: 32))
        #expect(throws: RosterError.self) { try PageToken.open(text, for: right, with: other, at: Self.now) }
        #expect(throws: RosterError.self) {
            try PageToken.open(text, for: right, with: Self.key, at: Self.now.addingTimeInterval(60))
        }
        #expect(try PageToken.open(text, for: right, with: Self.key, at: Self.now.addingTimeInterval(59)) == token)
    }
}
