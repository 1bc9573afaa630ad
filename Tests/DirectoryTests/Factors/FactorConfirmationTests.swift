import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@testable import Directory

/// How often a code may be guessed by whoever has a session of somebody else.
@Suite struct FactorConfirmationTests {
    private static let password = "Corr3ct horse"

    private struct Scene {
        let school: School
        let nadia: Person
        let session: BrowserSession
        let secret: [UInt8]

        var code: String { OneTimeCode.code(of: secret, step: OneTimeCode.step(at: school.fixed.now)) }

        func confirm(
            _ code: String, in session: BrowserSession? = nil, knownBrowser: String? = nil
        ) async throws -> FactorConfirmation.Outcome {
            try await FactorConfirmation(checker: school.factorChecker).confirm(
                code, in: session ?? self.session, knownBrowser: knownBrowser,
                origin: .request("r1", address: "192.0.2.1"))
        }

        func confirmPassword(_ password: String) async throws -> PasswordConfirmation.Outcome {
            try await PasswordConfirmation(
                database: school.database, hasher: school.passwordHasher, surroundings: school.fixed.surroundings
            ).confirm(password, in: session)
        }
    }

    private static func with(_ kind: TestDatabase, _ body: (Scene) async throws -> Void) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.setPassword(of: nadia, to: password)
            let session = try await school.signIn(nadia)
            let (secret, _) = try await school.addOneTimeCodes(in: session)
            school.fixed.advance(by: 60)
            try await body(Scene(school: school, nadia: nadia, session: session, secret: secret))
        }
    }

    @Test("the right password gives nobody new guesses at a code", arguments: TestDatabase.available)
    func passwordResetsNothing(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { scene in
            for _ in 0..<4 {
                let answer = try await scene.confirm("000000")
                #expect(answer == .wrongCode)
            }
            // It costs no attempt either, however often it is entered for what the password is enough for.
            for _ in 0..<7 {
                let answer = try await scene.confirmPassword(Self.password)
                #expect(answer == .confirmed)
            }
            let fifth = try await scene.confirm("000000")
            #expect(fifth == .wrongCode)
            let right = try await scene.confirm(scene.code)
            #expect(right == .mustWait(minutes: 60))
        }
    }

    @Test(
        "wrong codes count for the account, in whichever session, and stand in the trail",
        arguments: TestDatabase.available)
    func countedForTheAccount(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { scene in
            for _ in 0..<5 {
                let session = try await scene.school.signIn(scene.nadia)
                #expect(try await scene.confirm("000000", in: session) == .wrongCode)
            }
            let session = try await scene.school.signIn(scene.nadia)
            for _ in 0..<6 { #expect(try await scene.confirm(scene.code, in: session) == .mustWait(minutes: 1)) }
            let told = try await scene.school.auditRecords().filter { $0.outcome == "refused" }
            #expect(told.count == 5)
            #expect(told.allSatisfy { $0.detail.hasPrefix("wrong code in a session") })
            #expect(told.last?.action == "account.paused")
            // It is the count of sign-ins: there, too, strangers have to wait.
            let signIn = try await scene.school.passwordSignIn.signIn(
                userName: scene.nadia.userName, password: Self.password,
                origin: .request("r1", address: "192.0.2.1"))
            guard case .mustWait = signIn else {
                Issue.record("the password was looked at")
                return
            }
            // Codes that were not looked at have cost nothing, and the right one ends the count.
            scene.school.fixed.advance(by: 60)
            #expect(try await scene.confirm(scene.code, in: session) == .confirmed)
            let failures = try await scene.school.database.read {
                try Credential.find(for: scene.nadia.id, in: $0)?.failures
            }
            #expect(failures == 0)
        }
    }

    @Test(
        "whoever guesses keeps the person out of no browser that the account knows", arguments: TestDatabase.available)
    func knownBrowser(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { scene in
            let (school, now) = (scene.school, scene.school.fixed.now)
            let known = try await school.database.write {
                try KnownBrowser.remember(
                    scene.nadia.id, replacing: nil, at: now, from: school.fixed.surroundings, in: $0)
            }.text
            for _ in 0..<5 { #expect(try await scene.confirm("000000") == .wrongCode) }
            let session = try await school.signIn(scene.nadia)
            #expect(try await scene.confirm("000000", in: session, knownBrowser: known) == .wrongCode)
            #expect(try await scene.confirm(scene.code, in: session, knownBrowser: known) == .confirmed)
            // A browser in which too many were wrong is known no more, so that the account's pause holds there too.
            for _ in 0..<5 {
                let session = try await school.signIn(scene.nadia)
                _ = try await scene.confirm("000000", in: session, knownBrowser: known)
            }
            let last = try await school.signIn(scene.nadia)
            #expect(try await scene.confirm("000000", in: last, knownBrowser: known) == .mustWait(minutes: 1))
        }
    }
}
