import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@testable import Administration

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

    @Test(
        "only whoever manages those whom a rule names takes it from them, or puts it off",
        arguments: TestDatabase.available)
    func loosening(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let head = scene.administrator(.person(try await scene.holder(of: .administrator, at: nil).id))
            let lower = scene.administrator(.person(try await scene.holder(of: .peopleManager, at: nil).id))
            func set(
                _ holders: [FactorRule.Holder], _ days: Int, by administrator: Administrator
            ) async throws -> Int64? {
                var change = SetOrganization()
                change.factorHolders = holders.isEmpty ? nil : holders
                change.clear = holders.isEmpty ? [.factorHolders] : nil
                change.factorGraceDays = days
                return try await administrator.perform(change).change
            }
            _ = try await set([.administrator, .peopleManager, .teamMember], 14, by: head)
            let (before, trail) = (try await scene.state(), try await scene.trail())
            let wishes: [([FactorRule.Holder], Int)] = [
                ([], 14), ([.peopleManager, .teamMember], 14), ([.administrator, .peopleManager], 14),
                ([.administrator, .peopleManager, .teamMember], 15),
                ([.administrator, .siteManager, .peopleManager, .teamMember], 90), ([.siteManager], 0),
            ]
            for (holders, days) in wishes {
                await #expect(throws: OperationError.forbidden(.managePeople), "\(holders) \(days)") {
                    try await set(holders, days, by: lower)
                }
            }
            #expect(try await scene.state() == before)
            let news = try await scene.news(since: trail)
            #expect(news.count == wishes.count && news.allSatisfy { $0.contains("administration.refused") }, "\(news)")
            // Their own, and whatever demands more, they may.
            let tighter = try #require(
                try await set([.administrator, .siteManager, .teamMember], 7, by: lower))
            // What took something away from nobody above them they take back; what did, they do not.
            await #expect(throws: OperationError.forbidden(.managePeople)) { try await lower.undo(tighter) }
            _ = try await head.undo(tighter)
            _ = try await set([], 90, by: head)
        }
    }

    @Test("a program that may change settings takes no rule from Administrators", arguments: TestDatabase.available)
    func programs(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            var rule = SetOrganization()
            rule.factorHolders = [.administrator]
            _ = try await scene.operator.perform(rule, in: scene.maple)
            let privileges: Set<Privilege> = [.manageOrganization, .managePeople]
            let added = try await scene.operator.perform(
                AddAPIClient(name: "Settings", privileges: Array(privileges)), in: scene.maple)
            let found = try await scene.database.read {
                try APIClient.find(added.answer.client.clientID, in: $0)
            }
            let holder = TokenHolder(.client(try #require(found).id), privileges)
            let client = scene.administrator(.holder(holder))
            var change = SetOrganization()
            change.clear = [.factorHolders]
            await #expect(throws: OperationError.forbidden(.managePeople)) { try await client.perform(change) }
            change.clear = nil
            change.factorHolders = [.administrator, .siteManager]
            _ = try await client.perform(change)
            change.factorHolders = [.administrator]
            #expect(try await client.perform(change).answer.factorHolders == [.administrator])
        }
    }
}
