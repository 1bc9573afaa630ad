import Foundation
import Ground
import SeededNumbers
import Testing
@testable import Authorization

@Suite struct IdentityTokenClaimsTests {
    @Test("claims are written as Foundation writes them, in order, whatever they hold")
    func asFoundation() throws {
        var generator = SeededGenerator(seed: 11)
        func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? {
            let value = value()
            return Bool.random(using: &generator) ? value : nil
        }
        func text() -> String {
            let pieces = ["a", "Ada", "\"", "\\", "/", "\n", "\u{1}", "\u{7f}", "é", "東", "🙂", "\u{2028}", "<"]
            return (0..<Int.random(in: 0...6, using: &generator)).map { _ in pieces.randomElement(using: &generator)! }
                .joined()
        }
        func number() -> Int { Int.random(in: -5...2_000_000_000, using: &generator) }
        func flag() -> Flag {
            Flag(isTrue: Bool.random(using: &generator), asText: Bool.random(using: &generator))
        }
        for _ in 0..<500 {
            var claims = IdentityTokenClaims(
                iss: text(), aud: text(), sub: text(), iat: number(), exp: number(), authTime: number(),
                nonce: maybe(text()), nonceSupported: maybe(true))
            claims.orgID = maybe(text())
            claims.atHash = maybe(text())
            claims.cHash = maybe(text())
            claims.email = maybe(text())
            claims.emailVerified = maybe(flag())
            claims.isPrivateEmail = maybe(flag())
            claims.realUserStatus = maybe(number())
            claims.scopes = maybe(text())
            claims.transferSub = maybe(text())
            claims.acr = maybe(text())
            claims.sid = maybe(text())
            claims.amr = maybe((0..<Int.random(in: 0...3, using: &generator)).map { _ in text() })
            claims.name = maybe(text())
            claims.givenName = maybe(text())
            claims.familyName = maybe(text())
            claims.preferredUserName = maybe(text())
            claims.updatedAt = maybe(number())
            claims.locale = maybe(text())
            claims.roles = maybe([text(), text()])
            claims.grade = maybe(text())
            #expect(claims.json == Array(try JSONEncoder.stable.encode(Self.object(claims))))
        }
    }

    private static func object(_ claims: IdentityTokenClaims) -> [String: JSONValue] {
        func text(_ text: String?) -> JSONValue? { text.map(JSONValue.string) }
        func number(_ number: Int?) -> JSONValue? { number.map { .integer(Int64($0)) } }
        func flag(_ flag: Flag?) -> JSONValue? {
            flag.map { $0.asText ? .string($0.isTrue ? "true" : "false") : .boolean($0.isTrue) }
        }
        func texts(_ texts: [String]?) -> JSONValue? { texts.map { .array($0.map(JSONValue.string)) } }
        let members: [String: JSONValue?] = [
            "iss": text(claims.iss), "aud": text(claims.aud), "sub": text(claims.sub), "iat": number(claims.iat),
            "exp": number(claims.exp), "auth_time": number(claims.authTime), "nonce": text(claims.nonce),
            "nonce_supported": claims.nonceSupported.map(JSONValue.boolean), "org_id": text(claims.orgID),
            "at_hash": text(claims.atHash), "c_hash": text(claims.cHash), "email": text(claims.email),
            "email_verified": flag(claims.emailVerified), "is_private_email": flag(claims.isPrivateEmail),
            "real_user_status": number(claims.realUserStatus), "scopes": text(claims.scopes),
            "transfer_sub": text(claims.transferSub), "acr": text(claims.acr), "sid": text(claims.sid),
            "amr": texts(claims.amr), "name": text(claims.name), "given_name": text(claims.givenName),
            "family_name": text(claims.familyName), "preferred_username": text(claims.preferredUserName),
            "updated_at": number(claims.updatedAt), "locale": text(claims.locale), "roles": texts(claims.roles),
            "grade": text(claims.grade),
        ]
        return members.compactMapValues { $0 }
    }
}
