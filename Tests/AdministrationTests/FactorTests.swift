import Administration
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

extension Scene {
    /// Gives the person one-time codes, whose secret nobody knows.
    func giveFactor(to person: Person) async throws {
        let now = school.fixed.now
        try await database.write {
            try $0.execute(
                """
                INSERT INTO one_time_code_key (person_id, sealed_secret, last_step, added_at) VALUES ($1, $2, 0, $3)
                """, [person.id, [1] as [UInt8], now])
        }
    }
}

@Suite struct FactorTests {
    @Test(
        "a reset takes codes away, signs out, and is refused where there is nothing", arguments: TestDatabase.available)
    func reset(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await scene.giveFactor(to: scene.pupil)
            let session = try await scene.school.signIn(scene.pupil)
            let done = try await scene.operator.perform(ResetFactors(person: PersonReference(scene.pupil.id)))
            #expect(done.effects.map(\.action) == ["factors.reset"] && done.change == nil)
            let now = scene.school.fixed.now
            let (factors, living) = try await scene.database.read { transaction in
                (
                    try Factors.find(of: scene.pupil.id, in: transaction),
                    try BrowserSession.reload(session, at: now, in: transaction)
                )
            }
            #expect(factors.isEmpty && living == nil)
            await #expect(
                throws: OperationError.refused(
                    """
                    pupil Okoye signs in with a password alone: there is no passkey and no one-time code to remove.
                    """)
            ) {
                try await scene.operator.perform(ResetFactors(person: PersonReference(scene.pupil.id)))
            }
        }
    }

    @Test("nobody takes the factors of somebody who may more", arguments: TestDatabase.available)
    func escalation(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let head = try #require(
                try await scene.database.read { try Person.find(userName: "head@maple.example", in: $0) })
            try await scene.giveFactor(to: head)
            for role in [Role.siteManager, .peopleManager, .manager, .instructor] {
                let caller = scene.administrator(.person(try await scene.holder(of: role, at: nil).id))
                await #expect(throws: OperationError.self) {
                    try await caller.perform(ResetFactors(person: PersonReference(head.id)))
                }
            }
            #expect(try await scene.database.read { try !Factors.find(of: head.id, in: $0).isEmpty })
        }
    }

    @Test("an organization says who has to have a second factor, and takes it back", arguments: TestDatabase.available)
    func rule(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            var change = SetOrganization()
            change.factorHolders = [.teamMember, .administrator]
            change.factorGraceDays = 3
            let done = try await scene.operator.perform(change, in: scene.maple)
            #expect(done.answer.factorHolders == [.administrator, .teamMember] && done.answer.factorGraceDays == 3)
            #expect(done.effects.map(\.detail) == ["second factor for administrator and team_member, within 3 days"])
            _ = try await scene.operator.undo(try #require(done.change))
            let after = try await scene.operator.ask(ShowOrganization())
            #expect(after.factorHolders == [] && after.factorGraceDays == 14)
            change.factorGraceDays = 91
            await #expect(throws: DirectoryError.self) {
                try await scene.operator.perform(change, in: scene.maple)
            }
        }
    }
}
