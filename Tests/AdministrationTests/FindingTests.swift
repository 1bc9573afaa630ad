import Administration
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

/// What is wrong is told to whoever may mend it, as long as it is wrong.
@Suite struct FindingTests {
    private static func kinds(_ administrator: Administrator) async throws -> [Finding.Kind] {
        try await administrator.ask(ListFindings()).findings.map(\.kind)
    }

    private static func head(_ scene: Scene, _ role: Role = .administrator) async throws -> Administrator {
        scene.administrator(.person(try await scene.holder(of: role, at: nil).id))
    }

    @Test("in a school in which nothing is wrong, there is nothing", arguments: TestDatabase.available)
    func nothing(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let found = try await Self.kinds(Self.head(scene))
            #expect(found.isEmpty)
        }
    }

    @Test("what is wrong with the server is told to Administrators of the whole organization, as long as it is")
    func server() async throws {
        try await Scene.with(.sqlite) { scene in
            let head = try await Self.head(scene)
            scene.services.condition.note([.backup, .certificate])
            let found = try await head.ask(ListFindings()).findings
            #expect(found.map(\.kind) == [.serverNeedsOperator, .serverNeedsOperator])
            #expect(found.map(\.trouble) == [.backup, .certificate])
            let told = try await scene.operator.ask(ListFindings(), in: scene.maple).findings
            #expect(told.count == 2)
            for role in [Role.siteManager, .peopleManager, .manager, .instructor] {
                #expect(try await Self.kinds(Self.head(scene, role)).isEmpty, "\(role)")
            }
            let ofOneSchool = try await scene.holder(of: .administrator, at: scene.annex.id)
            #expect(try await Self.kinds(scene.administrator(.person(ofOneSchool.id))).isEmpty)
            scene.services.condition.note([])
            #expect(try await Self.kinds(head).isEmpty)
        }
    }

    @Test("locked accounts are counted until they are unlocked", arguments: TestDatabase.available)
    func locked(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let head = try await Self.head(scene)
            try await scene.database.write {
                try $0.execute("UPDATE person SET state = 'locked' WHERE id = $1", [scene.pupil.id])
            }
            let found = try await head.ask(ListFindings()).findings
            #expect(found.map(\.kind) == [.accountsAreLocked] && found.first?.count == 1)
            _ = try await head.perform(UnlockPerson(person: PersonReference(scene.pupil.id)))
            #expect(try await Self.kinds(head).isEmpty)
        }
    }

    @Test(
        "whoever looks after a part of the school is told of the accounts there that they may unlock, and of nothing else",
        arguments: TestDatabase.available)
    func lockedHere(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (main, annex) = (scene.school.location.id, scene.annex.id)
            var rule = SetOrganization()
            rule.factorHolders = [.administrator]
            _ = try await scene.operator.perform(rule, in: scene.maple)
            for name in ["a", "b"] { _ = try await scene.school.insertPerson(name, .student, at: annex) }
            let elsewhere = try await scene.school.insertPerson("nobody")
            try await scene.database.write {
                try $0.execute(
                    "UPDATE person SET state = 'locked' WHERE organization_id = $1", [elsewhere.organizationID])
            }
            func findings(_ role: Role, at place: LocationID?) async throws -> [String] {
                let holder = try await scene.holder(of: role, at: place)
                return try await scene.administrator(.person(holder.id)).ask(ListFindings()).findings
                    .map { "\($0.kind.rawValue) \($0.count ?? 0)" }
            }
            // The pupil and the Administrator of the place; only the latter's own kind may unlock an Administrator.
            #expect(try await findings(.administrator, at: main) == ["accounts-are-locked 2"])
            for role in [Role.siteManager, .peopleManager, .manager, .instructor] {
                #expect(try await findings(role, at: main) == ["accounts-are-locked 1"], "\(role)")
            }
            for role in [Role.administrator, .siteManager, .peopleManager, .manager] {
                #expect(try await findings(role, at: annex) == ["accounts-are-locked 2"], "\(role)")
            }
            // All five, also who is at no place.
            #expect(try await findings(.manager, at: nil) == ["accounts-are-locked 5"])
            #expect(
                try await findings(.siteManager, at: nil).sorted().map { $0.split(separator: " ")[0] }
                    == ["accounts-are-locked", "factors-are-missing"])
            for role in [Role.deviceEnrollmentManager, .staff, .student] {
                await #expect(throws: OperationError.forbidden(.readPeople)) { try await findings(role, at: main) }
            }
        }
    }

    @Test("of more than a thousand locked accounts it is told that there are more")
    func manyLocked() async throws {
        try await Scene.with(.sqlite) { scene in
            let (organization, now) = (scene.school.organization.id, scene.school.fixed.now)
            try await scene.database.write { transaction in
                for number in 1...1_010 {
                    _ = try Person.insert(
                        in: organization, givenName: "A", familyName: "B", userName: "u\(number)@maple.example",
                        at: now,
                        in: transaction)
                }
                try transaction.execute("UPDATE person SET state = 'locked' WHERE user_name LIKE 'u%'")
            }
            let found = try await Self.head(scene).ask(ListFindings()).findings
            #expect(found.map(\.count) == [Finding.lockedMax + 1])
        }
    }

    @Test("those who lack a second factor are counted, once each, with the day", arguments: TestDatabase.available)
    func factors(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let head = try await Self.head(scene)
            var rule = SetOrganization()
            rule.factorHolders = [.administrator, .peopleManager, .teamMember]
            rule.factorGraceDays = 20
            _ = try await head.perform(rule)
            let both = try await scene.holder(of: .peopleManager, at: nil)
            try await scene.school.assign(.administrator, at: nil, to: both)
            // Two who were there, the one who asks among them, and the new one.
            let found = try await head.ask(ListFindings()).findings
            #expect(found.map(\.kind) == [.factorsAreMissing] && found.first?.count == 3)
            #expect(found.first?.on == CalendarDay(scene.school.fixed.now).adding(days: 20))
            rule.factorHolders = nil
            rule.clear = [.factorHolders]
            _ = try await head.perform(rule)
            #expect(try await Self.kinds(head).isEmpty)
        }
    }

    @Test(
        "a folder that could not be imported is told, with the school, until it could",
        arguments: TestDatabase.available)
    func pickUps(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let head = try await Self.head(scene)
            _ = try await head.perform(SetPickUp(school: LocationReference(scene.school.location.id), hour: 2))
            #expect(try await Self.kinds(head).isEmpty)
            for (outcome, isWrong) in [
                (RosterPickUp.Outcome.missing, true), (.unreadable, true), (.unfinished, true), (.defective, true),
                (.held, false), (.nothingToDo, false), (.applied, false),
            ] {
                try await scene.database.write {
                    try $0.execute(
                        "UPDATE roster_pick_up SET outcome = $1, read_at = $2", [outcome, scene.school.fixed.now])
                }
                let found = try await head.ask(ListFindings()).findings
                #expect(found.map(\.kind) == (isWrong ? [.pickUpFailed] : []), "\(outcome)")
                #expect(found.allSatisfy { $0.location == scene.school.location.name })
            }
        }
    }

    @Test(
        "apps that may not read, take no messages, or read for somebody who has left", arguments: TestDatabase.available
    )
    func apps(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let head = try await Self.head(scene)
            let app = try await scene.giveConsent().app
            #expect(try await Self.kinds(head).isEmpty)
            try await scene.database.write { transaction in
                for number in 1...2 {
                    try transaction.execute(
                        """
                        INSERT INTO notification (app_id, jti, claims, created_at, attempts, next_attempt_at)
                        VALUES ($1, $2, '{}', $3, 9, NULL)
                        """, [app.id, "message \(number)", scene.school.fixed.now])
                }
                try transaction.execute(
                    "UPDATE person SET state = 'deactivated' WHERE user_name = 'head@maple.example'")
                try AccessRule.apply(
                    .unlist(app.id), to: scene.school.organization.id, purpose: .dataSharing, by: .operator,
                    from: .commandLine, at: scene.school.fixed.now, in: transaction)
            }
            try await scene.database.write {
                try $0.execute("UPDATE team_key SET revoked_at = $1", [scene.school.fixed.now])
            }
            let found = try await head.ask(ListFindings()).findings
            #expect(found.map(\.kind) == [.appIsRefused, .appHasNoKey, .consentIsOrphaned, .appIsUnreached])
            #expect(found.allSatisfy { $0.app == app.id.rawValue && $0.appName == app.name })
            #expect(found.last?.count == 2)
            // Whoever may not decide about apps is not told of them.
            #expect(try await Self.kinds(Self.head(scene, .peopleManager)).isEmpty)
            #expect(try await Self.kinds(Self.head(scene, .siteManager)).count == 4)
        }
    }

    @Test(
        "an app that takes no messages now is told of after an hour, until it takes them",
        arguments: TestDatabase.available)
    func late(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let head = try await Self.head(scene)
            let app = try await scene.giveConsent().app
            let start = scene.school.fixed.now
            func change(_ sql: String) async throws {
                try await scene.database.write { try $0.execute(sql, [app.id]) }
            }
            try await scene.database.write { transaction in
                for number in 1...2 {
                    try transaction.execute(
                        """
                        INSERT INTO notification (app_id, jti, claims, created_at, attempts, next_attempt_at)
                        VALUES ($1, $2, '{}', $3, 0, $3)
                        """, [app.id, "message \(number)", start])
                }
            }
            scene.school.fixed.advance(by: 3_599)
            try await change("UPDATE notification SET attempts = 3 WHERE app_id = $1 AND jti = 'message 1'")
            #expect(try await Self.kinds(head).isEmpty)
            scene.school.fixed.advance(by: 1)
            let found = try await head.ask(ListFindings()).findings
            #expect(found.map(\.kind) == [.appIsFailing])
            #expect(found.first?.count == 2 && found.first?.appName == app.name)
            #expect(try await Self.kinds(Self.head(scene, .peopleManager)).isEmpty)
            // The other one was not tried yet, for which the app is not to blame.
            try await change("DELETE FROM notification WHERE app_id = $1 AND attempts > 0")
            #expect(try await Self.kinds(head).isEmpty)
        }
    }

    @Test("an app with a secret of its own does not miss the keys of its team", arguments: TestDatabase.available)
    func secrets(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let head = try await Self.head(scene)
            let app = try await scene.giveConsent().app
            func change(_ sql: String) async throws {
                try await scene.database.write { try $0.execute(sql, [app.id]) }
            }
            let ofTeam = "WHERE team_id = (SELECT team_id FROM app WHERE id = $1)"
            try await change("UPDATE team_key SET revoked_at = 1 \(ofTeam)")
            #expect(try await Self.kinds(head) == [.appHasNoKey])
            try await change("UPDATE client SET is_public = 1 WHERE app_id = $1")
            #expect(try await Self.kinds(head).isEmpty)
            try await change("UPDATE client SET is_public = 0 WHERE app_id = $1")
            #expect(try await Self.kinds(head) == [.appHasNoKey])
            try await change("DELETE FROM team_key \(ofTeam)")
            #expect(try await Self.kinds(head).isEmpty)
        }
    }

    @Test(
        "mail that is given up names the person, until another arrives or the address is new",
        arguments: TestDatabase.available)
    func mail(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let head = try await Self.head(scene)
            let (fixed, pupil) = (scene.school.fixed, scene.pupil)
            let mailer = Mailer(
                sender: try Mailbox("Lanyard <no-reply@maple.example>"), surroundings: fixed.surroundings)
            let outbox = MailOutbox(database: scene.database, now: fixed.surroundings.now)
            func send(arrives: Bool) async throws {
                try await scene.database.write { transaction in
                    try mailer.enqueue(
                        try MailMessage(
                            to: try MailAddress("pupil@maple.example"), subject: "Hello", text: "Hello", language: "en"),
                        for: pupil.id, in: transaction)
                }
                let mail = try #require(try await outbox.takeDue(limit: 1).first)
                if arrives {
                    try await outbox.recordDelivery(of: mail)
                } else {
                    try await outbox.recordFailure(of: mail, error: "no such mailbox", isPermanent: true)
                }
            }
            try await send(arrives: true)
            #expect(try await Self.kinds(head).isEmpty)
            try await send(arrives: false)
            fixed.advance(by: 3 * 86_400)
            try await send(arrives: false)
            let found = try await head.ask(ListFindings()).findings
            #expect(found.map(\.kind) == [.mailIsUndelivered])
            #expect(found.first?.on == CalendarDay(fixed.now), "the day of the last one")
            #expect(found.first?.person == pupil.id.rawValue && found.first?.fullName == pupil.fullName)
            // Only those who may change the address are told.
            for (role, place, isTold) in [
                (Role.manager, scene.school.location.id, true), (.siteManager, scene.school.location.id, true),
                (.instructor, scene.school.location.id, false), (.manager, scene.annex.id, false),
                (.administrator, scene.annex.id, false),
            ] {
                let holder = scene.administrator(.person(try await scene.holder(of: role, at: place).id))
                #expect(try await Self.kinds(holder) == (isTold ? [.mailIsUndelivered] : []), "\(role) \(place)")
            }
            try await send(arrives: true)
            #expect(try await Self.kinds(head).isEmpty)
            try await send(arrives: false)
            #expect(try await Self.kinds(head) == [.mailIsUndelivered])
            try await scene.database.write {
                try $0.execute("UPDATE person SET given_name = 'Other' WHERE id = $1", [pupil.id])
            }
            #expect(try await Self.kinds(head) == [.mailIsUndelivered])
            try await scene.database.write {
                try $0.execute("UPDATE person SET email = 'new@maple.example' WHERE id = $1", [pupil.id])
            }
            #expect(try await Self.kinds(head).isEmpty)
        }
    }
}
