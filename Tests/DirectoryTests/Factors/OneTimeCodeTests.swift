import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import Directory

@Suite struct OneTimeCodeTests {
    /// RFC 6238, appendix B, for SHA-1, without the two digits that six leave out.
    @Test(
        "the codes are those of RFC 6238",
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ])
    func vectors(time: Double, code: String) {
        let secret = Array("12345678901234567890".utf8)
        let step = OneTimeCode.step(at: Date(timeIntervalSince1970: time))
        #expect(OneTimeCode.code(of: secret, step: step) == code)
    }

    /// RFC 4648 §10, without padding.
    @Test(
        "secrets are written in base32",
        arguments: [("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB")])
    func base32(text: String, encoded: String) { #expect(OneTimeCode.text(of: Array(text.utf8)) == encoded) }

    @Test("the address names server and account, with every sign escaped")
    func address() {
        #expect(
            OneTimeCode.address(of: Array("foobar".utf8), account: "a b&c@maple.example", issuer: "id.maple.example")
                == """
                otpauth://totp/id.maple.example:a%20b%26c%40maple.example?secret=MZXW6YTBOI&issuer=id.maple.example\
                &algorithm=SHA1&digits=6&period=30
                """)
    }

    @Test(
        "a code is good one step early and late, once, and never after a later one", arguments: TestDatabase.available)
    func steps(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let (secret, _) = try await school.addOneTimeCodes(in: try await school.signIn(nadia))
            func take(_ step: Int) async throws -> Bool {
                let now = school.fixed.now
                let code = OneTimeCode.code(of: secret, step: step)
                return try await database.write { transaction in
                    try OneTimeCodeKey.find(of: nadia.id, in: transaction)?
                        .take(code, sealing: School.sealing, at: now, in: transaction) ?? false
                }
            }
            let first = OneTimeCode.step(at: school.fixed.now)
            // The code with which they were set up is spent.
            #expect(try await !take(first))
            school.fixed.advance(by: 90)
            #expect(try await !take(first + 1))
            #expect(try await !take(first + 5))
            #expect(try await take(first + 2))
            #expect(try await !take(first + 2))
            #expect(try await take(first + 4))
            #expect(try await !take(first + 3))
        }
    }

    @Test("the secret is stored sealed, for its person only", arguments: TestDatabase.available)
    func sealed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let ben = try await school.insertPerson("ben", .instructor)
            _ = try await school.addOneTimeCodes(in: try await school.signIn(nadia))
            let now = school.fixed.now
            try await database.write { transaction in
                try transaction.execute("UPDATE one_time_code_key SET person_id = $1", [ben.id])
            }
            await #expect(throws: School.OtherPurpose.self) {
                try await database.write { transaction in
                    _ = try OneTimeCodeKey.find(of: ben.id, in: transaction)?
                        .take("123456", sealing: School.sealing, at: now, in: transaction)
                }
            }
            let key = try school.factorChanges.newOneTimeCodeKey(for: nadia.id)
            #expect(school.factorChanges.oneTimeCodeKey(key.sealed, for: nadia.id)?.secret == key.secret)
            #expect(school.factorChanges.oneTimeCodeKey(key.sealed, for: ben.id) == nil)
            school.fixed.advance(by: 3_600)
            #expect(school.factorChanges.oneTimeCodeKey(key.sealed, for: nadia.id) == nil)
        }
    }
}
