import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Mail
import Storage
import TestSupport
import Testing

@testable import Administration

@Suite struct ConsentTests {
    private static let app = Example.quizzler

    private static func show(_ scene: Scene) async throws -> ConsentRecord {
        try await scene.operator.ask(ShowConsent(app: app), in: scene.maple)
    }

    private static func advance(_ scene: Scene, to text: String) throws {
        let time = try Date(text, strategy: .iso8601)
        scene.school.fixed.advance(by: time.timeIntervalSince(scene.school.fixed.now))
    }

    /// Writes down what the mails are about in place of their words.
    private static func reminders(_ scene: Scene, sendsMail: Bool = true) throws -> ConsentReminders {
        let sender = sendsMail ? try Mailbox("Lanyard <id@lanyard.example>") : nil
        let surroundings = scene.school.fixed.surroundings
        return ConsentReminders(
            database: scene.database, surroundings: surroundings,
            mail: AdministratorMail(
                mailer: Mailer(sender: sender, surroundings: surroundings),
                writing: { letter, language in ("\(language) \(letter)", "text") }))
    }

    private static func mails(_ scene: Scene) async throws -> [String] {
        try await scene.database.read { transaction in
            try transaction.all("SELECT recipient, language FROM mail_message ORDER BY id") {
                "\(try $0["recipient"] as String) \(try $0["language"] as String)"
            }
        }
    }

    /// Gives people addresses, and one of them a language.
    private static func addPeople(_ scene: Scene) async throws {
        let organization = scene.school.organization.id
        _ = try await scene.school.insertPerson("mika", .siteManager, email: "mika@maple.example")
        _ = try await scene.school.insertPerson("yui", .administrator, email: "yui@home.example")
        _ = try await scene.school.insertPerson("mute", .administrator)
        _ = try await scene.school.insertPerson("people", .peopleManager, email: "people@maple.example")
        let annex = try await scene.school.insertPerson(
            "annex", .siteManager, email: "annex@maple.example", at: scene.annex.id)
        let gone = try await scene.school.insertPerson("gone", .administrator, email: "gone@maple.example")
        try await scene.school.deactivate(gone)
        // The scene's places are two, so that only roles at the organization itself decide for all of it.
        try await scene.database.write { transaction in
            try transaction.execute(
                "UPDATE role_assignment SET location_id = 0 WHERE organization_id = $1 AND person_id <> $2",
                [organization, annex.id])
            try transaction.execute("UPDATE person SET language = 'ja' WHERE user_name = 'yui@maple.example'")
        }
    }

    @Test("those who decide for all are asked once by mail, in their language", arguments: TestDatabase.available)
    func asks(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.giveConsent()
            try await Self.addPeople(scene)
            let reminders = try Self.reminders(scene)
            #expect(try await reminders.send() == 0, "it has no end")
            _ = try await scene.operator.perform(
                LimitConsent(app: Self.app, lastDay: "2026-12-31"), in: scene.maple)
            #expect(try await reminders.send() == 0, "it is too early")
            try Self.advance(scene, to: "2026-11-19T06:00:00Z")
            // Several servers of one database ask at once.
            let counts = try await withThrowingTaskGroup(of: Int.self, returning: [Int].self) { group in
                for _ in 0..<4 { group.addTask { try await reminders.send() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts.reduce(0, +) == 1)
            #expect(try await Self.mails(scene) == ["mika@maple.example en", "yui@home.example ja"])
            let words = try await scene.database.read { transaction in
                try transaction.first("SELECT subject FROM mail_message ORDER BY id") { try $0[0] as String }
            }
            for part in ["Maple District", "Quizzler", "Quizzler Inc.", "2026-12-31", "people: 7", "classes: 0"] {
                #expect(words?.contains(part) == true, "\(part)")
            }
            #expect(try await reminders.send() == 0)
            #expect(try await Self.show(scene).isAnnounced)
            let entry = try #require(try await scene.trail().last)
            #expect(
                entry.contains("system consent.reminded app:") && entry.contains("last day 2026-12-31; mail to ids"))

            try Self.advance(scene, to: "2026-12-24T06:00:00Z")
            #expect(try await reminders.send() == 1)
            #expect(try await Self.mails(scene).count == 4)
            // After a renewal the next mail comes before the next end.
            _ = try await scene.operator.perform(RenewConsent(app: Self.app), in: scene.maple)
            #expect(try await Self.show(scene).lastDay?.text == "2027-12-24")
            #expect(try await reminders.send() == 0)
            try Self.advance(scene, to: "2027-12-01T06:00:00Z")
            #expect(try await reminders.send() == 1)
        }
    }

    @Test("where mail is off or nobody has an address, the question waits and the calendar has it")
    func waits() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.giveConsent()
            _ = try await scene.operator.perform(LimitConsent(app: Self.app, lastDay: "2026-09-30"), in: scene.maple)
            #expect(try await Self.reminders(scene).send() == 0)
            try await Self.addPeople(scene)
            #expect(try await Self.reminders(scene, sendsMail: false).send() == 0)
            func due() async throws -> DueDate? {
                try await scene.operator.ask(ListDueDates(), in: scene.maple).dates.first { $0.kind == .consentEnds }
            }
            let date = try #require(try await due())
            #expect(date.app == "Quizzler" && date.on.text == "2026-09-30" && date.isAnnounced == false)
            #expect(try await Self.reminders(scene).send() == 1)
            #expect(try await due()?.isAnnounced == true)
            try Self.advance(scene, to: "2026-10-01T12:00:00Z")
            #expect(try await due() == nil)
            #expect(try await Self.reminders(scene).send() == 0, "it is over")
        }
    }

    @Test(
        "an end is given, renewed and taken back, and what makes no sense is refused", arguments: TestDatabase.available
    )
    func limits(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.giveConsent()
            let before = try await Self.show(scene)
            #expect(before.lastDay == nil && before.grantedBy == "head@maple.example")
            func limit(_ day: String) async throws -> Done<ConsentRecord> {
                try await scene.operator.perform(LimitConsent(app: Self.app, lastDay: day), in: scene.maple)
            }
            func refused(_ reason: String, _ body: () async throws -> Void) async {
                let error = await #expect(throws: OperationError.self) { try await body() }
                #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
            }
            await refused("needs no renewal") {
                _ = try await scene.operator.perform(RenewConsent(app: Self.app), in: scene.maple)
            }
            await refused("is over already") { _ = try await limit("2026-08-30") }
            await refused("is no day") { _ = try await limit("2026-02-30") }
            await refused("has no end already") { _ = try await limit("none") }
            let first = try await limit("2027-06-30")
            #expect(first.effects.map(\.detail) == ["last day none → 2027-06-30"])
            await refused("ends on 2027-06-30 already") { _ = try await limit("2027-06-30") }
            // A year from today is later, and a given day is taken as it is.
            let renewed = try await scene.operator.perform(RenewConsent(app: Self.app), in: scene.maple)
            #expect(renewed.answer.lastDay?.text == "2027-09-01")
            await refused("would not last longer") {
                _ = try await scene.operator.perform(RenewConsent(app: Self.app), in: scene.maple)
            }
            _ = try await scene.operator.perform(SetConsentTerm(ends: "07-31"), in: scene.maple)
            await refused("would not last longer") {
                _ = try await scene.operator.perform(RenewConsent(app: Self.app), in: scene.maple)
            }
            await refused("is not after 2027-09-01, until which") {
                _ = try await scene.operator.perform(
                    RenewConsent(app: Self.app, lastDay: "2027-09-01"), in: scene.maple)
            }
            // The record says beforehand what a renewal gives.
            #expect(try await Self.show(scene).renewalLastDay?.text == "2027-07-31")
            let later = try await scene.operator.perform(
                RenewConsent(app: Self.app, lastDay: "2028-01-31"), in: scene.maple)
            for change in [later.change, renewed.change] {
                _ = try await scene.operator.undo(try #require(change), in: scene.maple)
            }
            #expect(try await Self.show(scene).lastDay?.text == "2027-06-30")
            _ = try await scene.operator.undo(try #require(first.change), in: scene.maple)
            #expect(try await Self.show(scene).version == before.version)
        }
    }

    @Test(
        "a consent that was revoked or has run out is history, and nothing is done with it",
        arguments: TestDatabase.available)
    func ends(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.giveConsent()
            let manager = try await scene.holder(of: .siteManager, at: nil)
            let administrator = scene.administrator(.person(manager.id))
            let revoked = try await administrator.perform(RevokeConsent(app: Self.app)).answer
            #expect(revoked.isNotified && revoked.consent.revokedBy == manager.userName && !revoked.consent.hasRunOut)
            let error = await #expect(throws: OperationError.self) {
                try await administrator.perform(RevokeConsent(app: Self.app))
            }
            #expect(error == .notFound(.consent, "Quizzler", in: "Maple District"))
            #expect(try await administrator.ask(ListConsents(onlyAlive: true)).consents.isEmpty)
            #expect(try await administrator.ask(ListConsents()).consents.count == 1)
        }
        try await Scene.with(kind) { scene in
            _ = try await scene.giveConsent()
            _ = try await scene.operator.perform(LimitConsent(app: Self.app, lastDay: "2026-09-30"), in: scene.maple)
            try Self.advance(scene, to: "2026-10-01T12:00:00Z")
            // Nobody has written it down yet.
            let record = try await Self.show(scene)
            #expect(record.hasRunOut && record.revokedAt != nil && record.refusal == nil)
            for change in [RenewConsent(app: Self.app), LimitConsent(app: Self.app, lastDay: "none")] as [any Change] {
                func perform<C: Change>(_ change: C) async throws {
                    _ = try await scene.operator.perform(change, in: scene.maple)
                }
                await #expect(throws: OperationError.self) { try await perform(change) }
            }
            let surroundings = scene.school.fixed.surroundings
            #expect(try await ConsentEnds(database: scene.database, surroundings: surroundings).finish() == 1)
            #expect(try await Self.show(scene).hasRunOut)
        }
    }

    @Test("names of those who gave a consent are for whoever may read people")
    func names() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.giveConsent()
            let client = try await scene.operator.perform(
                AddAPIClient(name: "Sharing", privileges: [.shareData]), in: scene.maple)
            let id = client.answer.client.clientID
            let found = try await scene.database.read { try APIClient.find(id, in: $0) }
            let holder = TokenHolder(.client(try #require(found).id), [.shareData])
            let record = try await scene.administrator(.holder(holder)).ask(ShowConsent(app: Self.app))
            #expect(record.grantedBy == nil && record.app == "Quizzler")
            let manager = try await scene.holder(of: .siteManager, at: nil)
            _ = try await scene.administrator(.person(manager.id)).ask(ShowConsent(app: Self.app))
            #expect(try await scene.trail().last?.contains("consent.show; ids ") == true)
        }
    }

    @Test("how long consents last is decided by schools, by one of three words")
    func terms() async throws {
        try await Scene.with(.sqlite) { scene in
            for ends in ["never", "02-29", "2027-07-31", ""] {
                await #expect(throws: OperationError.self) {
                    try await scene.operator.perform(SetConsentTerm(ends: ends), in: scene.maple)
                }
            }
            let done = try await scene.operator.perform(SetConsentTerm(ends: "year"), in: scene.maple)
            #expect(done.answer.lastDay?.text == "2027-09-01")
            #expect(try await scene.operator.ask(ListConsents(), in: scene.maple).term == "year")
            _ = try await scene.operator.undo(try #require(done.change), in: scene.maple)
            #expect(try await scene.operator.ask(ListConsents(), in: scene.maple).term == "unlimited")
            let now = scene.school.fixed.now
            let oak = try await scene.database.write {
                try Organization.insert(name: "Oak", kind: .business, at: now, in: $0)
            }
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(SetConsentTerm(ends: "year"), in: .named(oak.publicID))
            }
        }
    }
}
