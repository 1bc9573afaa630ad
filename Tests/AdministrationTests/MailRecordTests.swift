import Administration
import AdministrationExamples
import Directory
import Fixtures
import Mail
import Storage
import TestSupport
import Testing

/// What an organization can know of the mail to its people.
@Suite struct MailRecordTests {
    @Test(
        "it says who writes, what waits and whom nothing reaches, and names nobody", arguments: TestDatabase.available)
    func facts(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let silent = try await scene.operator.ask(ShowMail())
            #expect(silent.sender == nil && silent.senderName == nil && silent.waiting == 0 && silent.unreached == 0)
            let mute = try await scene.holder(of: .administrator, at: nil)
            #expect(try await scene.operator.ask(ShowMail()).unaddressed == silent.unaddressed + 1)
            _ = try await scene.operator.perform(
                EditPerson(person: PersonReference(mute.id), email: "mute@maple.example"))
            #expect(try await scene.operator.ask(ShowMail()).unaddressed == silent.unaddressed)

            let surroundings = scene.school.fixed.surroundings
            let sender = try Mailbox("Maple District <id@maple.example>")
            let scene = scene.with(Scene.services(of: scene.school, mailSender: sender))
            let head = try await scene.school.insertPerson("mika", .siteManager, email: "mika@maple.example")
            let mailer = Mailer(sender: sender, surroundings: surroundings)
            let outbox = MailOutbox(database: scene.database, now: { scene.school.fixed.now })
            func write(to person: Person) async throws {
                try await scene.database.write {
                    try mailer.enqueue(
                        try MailMessage(
                            to: try MailAddress("mika@maple.example"), subject: "s", text: "t", language: "en"),
                        for: person.id, in: $0)
                }
            }
            let stranger = try await scene.insertPersonal("r@quizzler.example")
            for person in [head, head, stranger] { try await write(to: person) }
            let caller = scene.administrator(.person(head.id))
            // A role at one place looks after no settings of the whole.
            await #expect(throws: OperationError.forbidden(.manageOrganization)) { try await caller.ask(ShowMail()) }
            func shown() async throws -> MailRecord { try await scene.operator.ask(ShowMail()) }
            let before = try await shown()
            #expect(before.sender == "id@maple.example" && before.senderName == "Maple District")
            #expect(before.waiting == 2 && before.unreached == 0)

            for mail in try await outbox.takeDue(limit: 10) {
                try await outbox.recordFailure(of: mail, error: "no such mailbox", isPermanent: true)
            }
            let refused = try await shown()
            #expect(refused.waiting == 0 && refused.unreached == 1)
            try await write(to: head)
            for mail in try await outbox.takeDue(limit: 10) { try await outbox.recordDelivery(of: mail) }
            let arrived = try await shown()
            #expect(arrived.waiting == 0 && arrived.unreached == 0)
        }
    }
}
