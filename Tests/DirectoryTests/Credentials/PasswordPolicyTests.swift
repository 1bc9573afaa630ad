import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct PasswordPolicyTests {
    @Test("digits of the right number meet the short policies, and nothing else does")
    func digits() {
        #expect(PasswordPolicy.fourDigits.accepts("0417"))
        #expect(PasswordPolicy.sixDigits.accepts("000000"))
        for password in ["", "041", "04175", "041a", "٠٤١٧", " 0417", "041\u{0}"] {
            #expect(!PasswordPolicy.fourDigits.accepts(password))
        }
        for password in ["00000", "0000000", "abcdef", "12345 "] {
            #expect(!PasswordPolicy.sixDigits.accepts(password))
        }
    }

    @Test("the standard policy wants eight characters, letters and digits among them")
    func standard() {
        for password in ["passw0rd", "Correct horse 1", "größe123", "大阪城は五重八階8"] {
            #expect(PasswordPolicy.standard.accepts(password))
        }
        for password in [
            "", "passw0r", "password", "12345678", "!!!!!!!!", "a1" + String(repeating: "x", count: 1_023),
        ] {
            #expect(!PasswordPolicy.standard.accepts(password))
        }
    }

    @Test("a temporary password meets its policy and can be read out", arguments: PasswordPolicy.allCases)
    func temporary(_ policy: PasswordPolicy) {
        let fixed = FixedSurroundings()
        let passwords = (0..<500).map { _ in policy.makeTemporaryPassword(from: fixed.surroundings) }
        #expect(passwords.allSatisfy(policy.accepts))
        switch policy {
        case .fourDigits: #expect(Set(passwords).count > 400)
        case .sixDigits: #expect(Set(passwords).count > 490)
        case .standard:
            #expect(Set(passwords).count == 500)
            #expect(passwords.allSatisfy { $0.wholeMatch(of: #/[a-km-np-z]{4}-[a-km-np-z]{4}-[2-9]{4}/#) != nil })
        }
    }

    @Test("every digit is as likely as any other")
    func unbiased() {
        let fixed = FixedSurroundings()
        var counts: [Character: Int] = [:]
        for _ in 0..<5_000 {
            for digit in PasswordPolicy.fourDigits.makeTemporaryPassword(from: fixed.surroundings) {
                counts[digit, default: 0] += 1
            }
        }
        #expect(counts.count == 10)
        #expect(counts.values.allSatisfy { (1_850...2_150).contains($0) })
    }

    /// The person's own policy, their roles, the defaults of their locations, and which one holds.
    typealias Case = (own: PasswordPolicy?, roles: [Role], locations: [PasswordPolicy?], expected: PasswordPolicy)

    @Test(
        "the person's own policy wins over the location's, and only pupils have a short one",
        arguments: [
            (.fourDigits, [.student], [], .fourDigits),
            (.fourDigits, [.student], [.sixDigits], .fourDigits),
            (.standard, [.student], [.sixDigits], .standard),
            (nil, [.student], [.sixDigits], .sixDigits),
            (nil, [.student], [nil, .sixDigits, .fourDigits], .sixDigits),
            (nil, [.student, .student], [nil], .standard),
            (nil, [.student], [], .standard),
            (.fourDigits, [.student, .instructor], [.fourDigits], .standard),
            (.fourDigits, [.staff], [.fourDigits], .standard),
            (nil, [.administrator], [.fourDigits], .standard),
            (.fourDigits, [], [.fourDigits], .standard),
        ] as [Case])
    func effective(_ given: Case) {
        #expect(
            PasswordPolicy.effective(own: given.own, roles: given.roles, locations: given.locations) == given.expected)
    }

    @Test(
        "the first location that the source names decides, then those given by hand", arguments: TestDatabase.available)
    func firstLocation(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let byHand = try await school.insertLocation("By hand", studentPasswordPolicy: .fourDigits)
            let second = try await school.insertLocation("Second", studentPasswordPolicy: .standard)
            let first = try await school.insertLocation("First", studentPasswordPolicy: .sixDigits)
            let pupil = try await school.insertPerson("pupil", .student, at: byHand.id)
            let effective = { try await database.read { try PasswordPolicy.effective(for: pupil, in: $0) } }
            let before = try await effective()
            #expect(before == .fourDigits)
            for (position, place) in [(2, second), (1, first)] {
                try await school.assign(.student, at: place.id, to: pupil)
                try await database.write {
                    try $0.execute(
                        "UPDATE role_assignment SET position = $1 WHERE location_id = $2", [position, place.id])
                }
            }
            let after = try await effective()
            #expect(after == .sixDigits)
            try await school.assign(.instructor, at: byHand.id, to: pupil)
            let teaching = try await effective()
            #expect(teaching == .standard)
        }
    }
}
