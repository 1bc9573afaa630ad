import Accounts
import Administration
import AdministrationExamples
import Directory
import Fixtures
import Foundation
import Mail
import Storage
import TestSupport
import Testing

/// Passwords that members of staff get by mail.
@Suite struct PasswordLetterTests {
    /// Mails as they lie in the queue.
    private struct Letter {
        let recipient: String
        let language: String
        /// What the writing was given, see ``with(_:sendsMail:_:)``.
        let text: String
        let expiresAt: Date?
        let person: PersonID?
    }

    /// A scene whose mails have the fields of the letter in place of words. Its school has verified `maple.example`.
    private static func with(
        _ kind: TestDatabase, sendsMail: Bool = true, _ body: (Scene) async throws -> Void
    ) async throws {
        try await Scene.with(kind) { scene in
            let (school, now) = (scene.school, scene.school.fixed.now)
            try await scene.database.write { transaction in
                try Domain.put(
                    "maple.example", verifiedAt: now, of: school.organization.id, at: now, in: transaction)
                try Domain.put("oak.example", verifiedAt: nil, of: school.organization.id, at: now, in: transaction)
            }
            let notice = PasswordNotice(
                mailer: Mailer(
                    sender: sendsMail ? try Mailbox("Lanyard <id@lanyard.example>") : nil,
                    surroundings: school.fixed.surroundings),
                writing: { letter, _ in
                    guard case .temporaryPassword(let new) = letter else { return ("notice", "\(letter)") }
                    let kind = new.isReplacement ? "again" : "first"
                    return ("password", [new.organization, kind, new.userName, new.password].joined(separator: "|"))
                })
            try await body(scene.with(Scene.services(of: school, passwordNotice: notice)))
        }
    }

    private static func letters(_ scene: Scene) async throws -> [Letter] {
        try await scene.database.read { transaction in
            try transaction.all(
                "SELECT recipient, language, body, expires_at, person_id FROM mail_message ORDER BY person_id, id"
            ) {
                Letter(
                    recipient: try $0["recipient"], language: try $0["language"], text: try $0["body"],
                    expiresAt: try $0["expires_at"], person: try $0["person_id"])
            }
        }
    }

    private static func isPassword(_ password: String, of person: Person, in scene: Scene) async throws -> Bool {
        let hash = try await scene.database.read { try Credential.find(for: person.id, in: $0)?.passwordHash }
        return try await scene.school.passwordHasher.verify(password, against: hash)
    }

    @Test(
        "members of staff are written to; pupils, and whose address is nobody's or not verified, are named and are not",
        arguments: TestDatabase.available)
    func staff(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { scene in
            let school = scene.school
            let yui = try await school.insertPerson("yui", .instructor, email: "Yui@MAPLE.example")
            let mika = try await school.insertPerson("mika", .staff, email: "mika@maple.example")
            let pupil = try await school.insertPerson("young", .student, email: "young@maple.example")
            // A pupil who helps is a pupil.
            let helper = try await school.insertPerson("helper", .staff, .student, email: "helper@maple.example")
            let claimed = try await school.insertPerson("claimed", .staff, email: "claimed@oak.example")
            let below = try await school.insertPerson("below", .staff, email: "below@sub.maple.example")
            let home = try await school.insertPerson("home", .instructor, email: "home@mail.example")
            let gone = try await school.insertPerson("gone", .staff, email: "gone@maple.example")
            try await school.deactivate(gone)
            try await school.setPassword(of: mika, to: "maple-leaf-8")
            try await scene.database.write { try Person.put(language: "ja", of: yui.id, in: $0) }

            let done = try await scene.operator.perform(
                IssuePasswords(at: LocationReference("Maple District Main"), all: true, letters: true))
            let issued = done.answer
            let letters = try await Self.letters(scene)
            #expect(letters.map(\.recipient) == ["Yui@maple.example", "mika@maple.example"])
            #expect(letters.map(\.language) == ["ja", "en"] && letters.map(\.person) == [yui.id, mika.id])
            #expect(letters.allSatisfy { $0.expiresAt == issued.validUntil })
            let written = letters.map { $0.text.split(separator: "|").map(String.init) }
            #expect(
                written.map { Array($0.prefix(3)) } == [
                    ["Maple District", "first", "yui@maple.example"],
                    ["Maple District", "again", "mika@maple.example"],
                ])
            for (person, letter) in zip([yui, mika], written) {
                let password = try #require(letter.last)
                #expect(password.wholeMatch(of: /[a-z]{4}-[a-z]{4}-[2-9]{4}/) != nil)
                #expect(try await Self.isPassword(password, of: person, in: scene))
                // It is in the mail and nowhere else.
                let answer = try JSONEncoder().encode(issued)
                #expect(!String(decoding: answer, as: UTF8.self).contains(password))
            }
            #expect(issued.written?.map(\.userName) == ["mika@maple.example", "yui@maple.example"])
            #expect(issued.written?.map(\.address) == ["mika@maple.example", "Yui@maple.example"])
            let reasons: [String: IssuedPasswords.NoLetter?] = [
                pupil.userName: .pupil, helper.userName: .pupil, scene.pupil.userName: .pupil,
                claimed.userName: .notVerified, below.userName: .notVerified, home.userName: .notVerified,
                "head@maple.example": .noAddress,
            ]
            #expect(Dictionary(uniqueKeysWithValues: issued.people.map { ($0.userName, $0.noLetter) }) == reasons)
            for one in issued.people {
                let person = try #require(
                    try await scene.database.read { try Person.find(userName: one.userName, in: $0) })
                #expect(try await Self.isPassword(one.password, of: person, in: scene), "\(one.userName)")
            }
            let actions = Dictionary(grouping: done.effects, by: \.action).mapValues(\.count)
            #expect(actions == ["password.mailed": 2, "password.issued": 7])
            let rows = String(decoding: PasswordSheet(issued).bytes, as: UTF8.self).split(separator: "\r\n")
            #expect(rows.count == 8 && !rows.contains { $0.contains("yui@") || $0.contains("mika@") })
        }
    }

    @Test("whoever had a password gets one mail: the letter, or the notice that a slip comes")
    func oneMail() async throws {
        try await Self.with(.sqlite) { scene in
            let school = scene.school
            let mika = try await school.insertPerson("mika", .staff, email: "mika@maple.example")
            let young = try await school.insertPerson("young", .student, email: "young@maple.example")
            for person in [mika, young] { try await school.setPassword(of: person, to: "maple-leaf-8") }
            _ = try await scene.operator.perform(IssuePasswords(all: true, letters: true))
            let letters = try await Self.letters(scene)
            #expect(letters.map(\.recipient) == ["mika@maple.example", "young@maple.example"])
            #expect(letters[0].text.contains("|again|") && letters[1].text == "passwordIssued")
        }
    }

    @Test("nobody is written to unless it is asked for, and the answer says nothing of letters")
    func notAskedFor() async throws {
        try await Self.with(.sqlite) { scene in
            _ = try await scene.school.insertPerson("mika", .staff, email: "mika@maple.example")
            for letters in [nil, false] {
                let change = IssuePasswords(role: .staff, all: true, letters: letters)
                let issued = try await scene.operator.perform(change).answer
                #expect(issued.people.map(\.userName) == ["mika@maple.example"])
                #expect(issued.written == nil && issued.people.allSatisfy { $0.noLetter == nil })
            }
            #expect(try await Self.letters(scene).allSatisfy { $0.text == "passwordIssued" })
        }
    }

    @Test("a preview says who would be written to, and writes to nobody", arguments: TestDatabase.available)
    func preview(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { scene in
            let mika = try await scene.school.insertPerson("mika", .staff, email: "mika@maple.example")
            let (before, trail) = (try await scene.state(), try await scene.trail())
            let preview = try await scene.operator.preview(IssuePasswords(letters: true))
            #expect(preview.counts == ["password.mailed": 1, "password.issued": 2])
            #expect(preview.effects.filter { $0.action == "password.mailed" }.map(\.name) == [mika.fullName])
            #expect(try await Self.letters(scene).isEmpty)
            #expect(try await scene.state() == before)
            #expect(try await scene.trail() == trail)
        }
    }

    @Test("where the server sends no mail, letters are refused, also in a preview, and nobody gets a password")
    func noMail() async throws {
        try await Self.with(.sqlite, sendsMail: false) { scene in
            _ = try await scene.school.insertPerson("mika", .staff, email: "mika@maple.example")
            let before = try await scene.state()
            let refused = OperationError.refused("This server sends no mail, so nobody can get a password by mail.")
            // Neither with a mailer that has no sender nor without one.
            for scene in [scene, scene.with(Scene.services(of: scene.school))] {
                await #expect(throws: refused) { try await scene.operator.preview(IssuePasswords(letters: true)) }
                await #expect(throws: refused) { try await scene.operator.perform(IssuePasswords(letters: true)) }
            }
            #expect(try await scene.state() == before)
            let issued = try await scene.operator.perform(IssuePasswords(role: .staff, letters: false)).answer
            #expect(issued.people.count == 1)
        }
    }

    @Test(
        "of several who ask at once, one writes to each person, and the password in the mail counts",
        arguments: TestDatabase.available)
    func atOnce(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { scene in
            var people: [String: Person] = [:]
            for index in 0..<6 {
                let person = try await scene.school.insertPerson(
                    "staff\(index)", .staff, email: "staff\(index)@maple.example")
                people[person.userName] = person
            }
            // All have made their passwords before the first gives one.
            let gathering = Gathering(of: 4)
            let answers = await concurrently(0..<4) { _ in
                let administrator = Administrator(
                    .operator, from: .system, database: scene.database, services: scene.services,
                    progress: { done, total in if done == total { await gathering.arrive() } })
                return try? await administrator.perform(IssuePasswords(role: .staff, letters: true)).answer
            }.compactMap(\.self)
            #expect(answers.compactMap(\.written?.count).sorted() == [0, 0, 0, 6])
            let letters = try await Self.letters(scene)
            #expect(letters.map(\.recipient) == people.keys.sorted())
            for letter in letters {
                let password = try #require(letter.text.split(separator: "|").last)
                let person = try #require(people[letter.recipient])
                #expect(try await Self.isPassword(String(password), of: person, in: scene))
            }
        }
    }

    @Test("a request that is repeated with its key writes no second letter")
    func repeated() async throws {
        try await Self.with(.sqlite) { scene in
            _ = try await scene.school.insertPerson("mika", .staff, email: "mika@maple.example")
            let key = try #require(RequestKey("letters-of-august"))
            for _ in 0..<2 {
                let issued = try await scene.operator.perform(
                    IssuePasswords(role: .staff, all: true, letters: true), once: key
                ).answer
                #expect(issued.written?.map(\.userName) == ["mika@maple.example"])
            }
            #expect(try await Self.letters(scene).count == 1)
        }
    }

    @Test("whoever becomes a pupil, or loses the address, while passwords are made is not written to")
    func meanwhile() async throws {
        try await Self.with(.sqlite) { scene in
            let school = scene.school
            let pupil = try await school.insertPerson("pupil2", .staff, email: "pupil2@maple.example")
            let moved = try await school.insertPerson("moved", .staff, email: "moved@maple.example")
            let administrator = Administrator(
                .operator, from: .system, database: scene.database, services: scene.services,
                progress: { done, total in
                    guard done == total else { return }
                    do {
                        try await school.assign(.student, at: nil, to: pupil)
                        try await scene.database.write {
                            try $0.execute(
                                "UPDATE person SET email = 'moved@mail.example' WHERE id = $1", [moved.id])
                        }
                    } catch {
                        Issue.record(error)
                    }
                })
            let issued = try await administrator.perform(IssuePasswords(role: .staff, letters: true)).answer
            #expect(issued.written == [])
            let reasons: [String: IssuedPasswords.NoLetter?] = [
                pupil.userName: .pupil, moved.userName: .notVerified,
            ]
            #expect(Dictionary(uniqueKeysWithValues: issued.people.map { ($0.userName, $0.noLetter) }) == reasons)
            #expect(try await Self.letters(scene).isEmpty)
        }
    }
}
