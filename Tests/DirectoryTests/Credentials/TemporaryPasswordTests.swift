import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct TemporaryPasswordTests {
    @Test("a temporary password follows the policy and must be changed", arguments: TestDatabase.available)
    func mustChange(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let pupil = try await school.insertPerson("pupil", .student, passwordPolicy: .fourDigits)
            let teacher = try await school.insertPerson("teacher", .instructor, passwordPolicy: .fourDigits)
            let signIn = school.passwordSignIn
            for (person, policy) in [(pupil, PasswordPolicy.fourDigits), (teacher, .standard)] {
                let password = try await signIn.issueTemporaryPassword(for: person, by: .operator, origin: .commandLine)
                #expect(policy.accepts(password))
                for _ in 0..<2 {
                    let outcome = try await signIn.signIn(
                        userName: person.userName, password: password, origin: .system)
                    #expect(outcome.personWhoMustChange?.id == person.id)
                }
            }
        }
    }

    @Test(
        "after the change the new password signs in, and nobody can keep the temporary one",
        arguments: TestDatabase.available)
    func changed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let pupil = try await school.insertPerson("pupil", .student, passwordPolicy: .sixDigits)
            let teacher = try await school.insertPerson("teacher", .instructor)
            let signIn = school.passwordSignIn
            let ofTeacher = try await signIn.issueTemporaryPassword(for: teacher, by: .operator, origin: .commandLine)
            let kept = try await signIn.change(
                in: try await school.signIn(teacher), to: ofTeacher, origin: .system)
            #expect(kept.text == "unchanged")
            let again = try await signIn.signIn(userName: teacher.userName, password: ofTeacher, origin: .system)
            #expect(again.personWhoMustChange?.id == teacher.id)

            let ofPupil = try await signIn.issueTemporaryPassword(for: pupil, by: .operator, origin: .commandLine)
            let same = try await signIn.change(in: try await school.signIn(pupil), to: ofPupil, origin: .system)
            #expect(same.text == "unchanged")
            let own = ofPupil == "041741" ? "041742" : "041741"
            let changed = try await signIn.change(in: try await school.signIn(pupil), to: own, origin: .system)
            #expect(changed.text == "changed")
            let outcome = try await signIn.signIn(userName: pupil.userName, password: own, origin: .system)
            #expect(outcome.person?.id == pupil.id)
        }
    }

    @Test("a temporary password is good for 90 days to the second", arguments: TestDatabase.available)
    func expires(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let signIn = school.passwordSignIn
            let password = try await signIn.issueTemporaryPassword(for: nadia, by: .operator, origin: .commandLine)
            school.fixed.advance(by: 90 * 86_400)
            let over = try await signIn.signIn(userName: nadia.userName, password: password, origin: .system)
            #expect(over.isExpired)
            let (state, records) = (try await school.state(of: nadia), try await school.auditRecords())
            #expect(state == .new)
            #expect(records.last?.outcome == "refused")
            let wrong = try await signIn.signIn(userName: nadia.userName, password: "wr0ng guess", origin: .system)
            #expect(wrong.isRefused)

            school.fixed.advance(by: -1)
            let good = try await signIn.signIn(userName: nadia.userName, password: password, origin: .system)
            #expect(good.personWhoMustChange?.id == nadia.id)
        }
    }

    @Test("a new temporary password takes the place of the one before", arguments: TestDatabase.available)
    func replaced(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let signIn = school.passwordSignIn
            let first = try await signIn.issueTemporaryPassword(for: nadia, by: .operator, origin: .commandLine)
            let second = try await signIn.issueTemporaryPassword(for: nadia, by: .operator, origin: .commandLine)
            let old = try await signIn.signIn(userName: nadia.userName, password: first, origin: .system)
            let new = try await signIn.signIn(userName: nadia.userName, password: second, origin: .system)
            #expect(old.isRefused)
            #expect(new.personWhoMustChange?.id == nadia.id)
        }
    }
}
