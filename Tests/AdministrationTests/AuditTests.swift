import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@testable import Administration

@Suite struct AuditTests {
    @Test("the trail is asked by person, app, place, action, time and outcome", arguments: TestDatabase.available)
    func filters(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let pupil = PersonReference(scene.pupil.id)
            let teacher = try await scene.holder(of: .instructor, at: scene.annex.id, teaches: false)
            let start = scene.school.fixed.now
            _ = try await scene.operator.perform(DeactivatePerson(person: pupil))
            scene.school.fixed.advance(by: 60)
            _ = try await scene.operator.perform(ReactivatePerson(person: pupil))
            _ = try await scene.operator.perform(
                AddRole(
                    person: PersonReference(teacher.id), role: .staff, at: LocationReference(scene.school.location.id)))
            let app = try await scene.insertApp().app
            try await scene.append(
                AuditEntry(
                    .appSignIn, by: .person(teacher.id), on: "app:\(app.id.rawValue)", outcome: .refused, from: .system)
            )

            func told(_ list: ListAudit) async throws -> [String] {
                try await scene.operator.ask(list).entries.map(\.detail)
            }
            let role = "role staff at location:\(scene.school.location.id.rawValue) added"
            #expect(try await told(ListAudit()) == ["", role, "reactivated", "deactivated"])
            #expect(try await told(ListAudit(person: pupil)) == ["reactivated", "deactivated"])
            #expect(try await told(ListAudit(person: PersonReference(teacher.id))) == ["", role])
            #expect(try await told(ListAudit(at: LocationReference(scene.annex.id))) == ["", role])
            #expect(
                try await told(ListAudit(at: LocationReference(scene.school.location.id)))
                    == ["", role, "reactivated", "deactivated"])
            #expect(try await told(ListAudit(action: "person.changed")) == [role, "reactivated", "deactivated"])
            #expect(try await told(ListAudit(action: "app")) == [""])
            #expect(try await told(ListAudit(app: AppReference("Quizzler"))) == [""])
            #expect(try await told(ListAudit(person: pupil, app: AppReference("Quizzler"))) == [])
            #expect(try await told(ListAudit(outcome: .refused)) == [""])
            #expect(try await told(ListAudit(person: pupil, outcome: .refused)) == [])
            #expect(try await told(ListAudit(until: start.addingTimeInterval(60))) == ["deactivated"])
            #expect(
                try await told(ListAudit(person: pupil, from: start.addingTimeInterval(1))) == ["reactivated"])
            let page = try await scene.operator.ask(ListAudit(limit: 1))
            #expect(page.next == page.entries[0].number)
            #expect(try await told(ListAudit(before: page.next, limit: 1)) == [role])
        }
    }

    @Test(
        "the trail is asked for what is about an app and what its clients did, by each name of the app",
        arguments: TestDatabase.available)
    func apps(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let app = try await scene.insertApp().app.id.rawValue
            let (pupil, now) = (scene.pupil.id, scene.school.fixed.now)
            // As a consent is recorded, and then what the app reads by it; the last is about another app.
            for (actor, subject, outcome, detail) in [
                (Actor.person(pupil), "app:\(app)", AuditEntry.Outcome.done, "first"),
                (.client("com.example.quizzler"), "users", .done, "second"),
                (.operator, "data-sharing", .done, "listed app:\(app)"),
                (.client("com.example.quizzler"), "users", .refused, "fourth"),
                (.client("com.example.rival"), "app:\(app + 1)", .done, "fifth"),
            ] {
                try await scene.append(
                    AuditEntry(.rosterRead, by: actor, on: subject, outcome: outcome, detail: detail, from: .system))
                scene.school.fixed.advance(by: 60)
            }
            func told(_ list: ListAudit) async throws -> [String] {
                try await scene.operator.ask(list).entries.map(\.detail)
            }
            for name in ["Quizzler", "com.example.quizzler", "app:\(app)"] {
                let reference = AppReference(name)
                #expect(
                    try await told(ListAudit(app: reference)) == ["fourth", "listed app:\(app)", "second", "first"])
                #expect(try await told(ListAudit(person: PersonReference(pupil), app: reference)) == ["first"])
                #expect(try await told(ListAudit(app: reference, outcome: .refused)) == ["fourth"])
                #expect(try await told(ListAudit(app: reference, action: "person")) == [])
                #expect(try await told(ListAudit(app: reference, until: now.addingTimeInterval(60))) == ["first"])
            }
            let page = try await scene.operator.ask(ListAudit(app: AppReference("Quizzler"), limit: 3))
            #expect(
                try await told(ListAudit(app: AppReference("Quizzler"), before: page.next, limit: 3)) == ["first"])
            #expect(page.names["client:com.example.quizzler"] == "Quizzler" && page.names["app:\(app)"] == "Quizzler")
        }
    }

    @Test("as many timestamps as one may ask for are kept, and no more within a day", arguments: TestDatabase.available)
    func anchors(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.operator.perform(DeactivatePerson(person: PersonReference(scene.pupil.id)))
            let organization = scene.school.organization.id
            let hash = try await scene.database.read { try AuditRecord.hash(at: 1, of: organization, in: $0) } ?? []
            func keep(second: Int) async throws {
                let time = "20260901000\(second / 60 % 10)\(String(second % 60 + 100).suffix(2))Z"
                _ = try await scene.operator.perform(
                    AnchorAudit(reply: Data(DER.timestampReply(for: hash, at: time)).base64EncodedString()))
            }
            for second in 0..<AnchorAudit.dailyMax { try await keep(second: second) }
            await #expect(throws: OperationError.self) { try await keep(second: AnchorAudit.dailyMax) }
            scene.school.fixed.advance(by: 86_401)
            try await keep(second: AnchorAudit.dailyMax)
            let large = Data(repeating: 0x30, count: 40_000).base64EncodedString()
            let error = await #expect(throws: OperationError.self) {
                try await scene.operator.perform(AnchorAudit(reply: large))
            }
            #expect(error?.description.contains("larger than") == true)
        }
    }

    @Test("what the trail cannot be asked is refused")
    func badInput() async throws {
        try await Scene.with(.sqlite) { scene in
            for (list, field) in [
                (ListAudit(action: "person.flown"), "action"), (ListAudit(action: ""), "action"),
                (ListAudit(before: 99), "before"), (ListAudit(before: -1), "before"), (ListAudit(limit: 0), "limit"),
                (ListAudit(limit: 1_001), "limit"),
                (ListAudit(from: Date(timeIntervalSince1970: 9), until: Date(timeIntervalSince1970: 9)), "from"),
                (ListAudit(at: LocationReference("x"), ofServer: true), "location"),
            ] {
                let error = await #expect(throws: OperationError.self) { try await scene.operator.ask(list) }
                guard case .invalid(let found, _) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(found == field)
            }
            await #expect(throws: OperationError.notFound(.app, "Nothing", in: nil)) {
                try await scene.operator.ask(ListAudit(app: AppReference("Nothing")))
            }
        }
    }

    @Test("names are for whoever may see the people")
    func names() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.operator.perform(DeactivatePerson(person: PersonReference(scene.pupil.id)))
            let id = "person:\(scene.pupil.id.rawValue)"
            func names(_ privileges: [Privilege]) async throws -> [String: String] {
                let now = scene.school.fixed.now
                let organization = scene.school.organization.id
                return try await scene.database.write { transaction in
                    let client = try APIClient.insert(
                        in: organization, name: "C", privileges: Set(privileges), secret: SecretHash(of: "x"), at: now,
                        from: scene.school.fixed.surroundings, in: transaction)
                    let authority = try Authority.of(client, in: transaction)
                    var names = AuditNames(
                        for: authority, in: try Organization.find(organization, in: transaction))
                    try names.add(id, transaction)
                    return names.names
                }
            }
            #expect(try await names([.readAudit, .readPeople]) == [id: scene.pupil.fullName])
            #expect(try await names([.readAudit]) == [:])
        }
    }

    @Test("a class that is archived and a location that is removed keep their names in the list of changes")
    func namesOfWhatIsGone() async throws {
        try await Scene.with(.sqlite) { scene in
            let science = try await scene.school.insertClass("Science")
            _ = try await scene.operator.perform(
                ArchiveClass(class: ClassReference("CL-\(science.rawValue)")), in: scene.maple)
            _ = try await scene.operator.perform(
                RemoveLocation(location: LocationReference(scene.annex.name)), in: scene.maple)
            let answer = try await scene.operator.ask(ListChanges(), in: scene.maple)
            #expect(answer.changes.map { answer.names[$0.subject] } == ["Annex", "Science"])
        }
    }

    @Test(
        "who has read is told with fields and time, from entries of now and of before",
        arguments: TestDatabase.available)
    func readers(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let id = scene.pupil.id.rawValue
            func read(_ subject: String, _ detail: String, _ mentions: [AuditMention]) async throws {
                try await scene.append(
                    AuditEntry(
                        .rosterRead, by: .client("com.example.quizzler"), on: subject, outcome: .done, detail: detail,
                        from: .system, mentioning: mentions))
            }
            func blocks(_ first: Int64, _ last: Int64) -> [AuditMention] {
                AuditMention.blocks(of: .people, from: first, through: last)
            }
            try await read("users", "3 records, ids \(id - 1)…\(id + 5) role Student", blocks(id - 1, id + 5))
            try await read("users", "2 records, ids \(id)…\(id + 5)", blocks(id, id + 5))
            try await read("users", "2 records, ids \(id + 1)…\(id + 5)", blocks(id + 1, id + 5))
            try await read(
                "users", "2 records, ids \(id),\(id + 5); scopes edu.users.read", blocks(id, id + 5))
            try await read(
                "users", "2 records, ids \(id - 1),\(id + 5); scopes edu.users.read", blocks(id - 1, id + 5))
            try await read("users/one", "user \(id); scopes edu.users.read", blocks(id, id))
            let head = try await scene.holder(of: .administrator, at: nil)
            let administrator = scene.administrator(.person(head.id))
            _ = try await administrator.ask(ShowPerson(person: PersonReference(scene.pupil.id)))
            _ = try await administrator.ask(ListPeople(role: .student))
            _ = try await administrator.ask(ListPeople(role: .administrator))
            for (name, students) in [("Choir", [scene.pupil]), ("Chess", [])] {
                let students = students.map { PersonReference($0.id) }
                _ = try await scene.operator.perform(
                    AddClass(name: name, at: LocationReference(scene.school.location.id), students: students))
                _ = try await administrator.ask(ShowClass(class: ClassReference(name)))
            }

            let answer = try await scene.operator.ask(ListReaders(person: PersonReference(scene.pupil.id)))
            #expect(
                answer.readings.map { "\($0.reader) \($0.list) \($0.isCertain)" } == [
                    "person:\(head.id.rawValue) class.show true",
                    "person:\(head.id.rawValue) person.list true", "person:\(head.id.rawValue) person.show true",
                    "client:com.example.quizzler users/one true", "client:com.example.quizzler users true",
                    "client:com.example.quizzler users true", "client:com.example.quizzler users false",
                ])
            #expect(answer.readings.allSatisfy { $0.isCertain == ($0.doubt == nil) })
            #expect(answer.readings[0].fields == ["number", "userName", "name", "isDeactivated"])
            #expect(answer.readings[1].fields.contains("email") && answer.readings[1].fields.contains("grade"))
            #expect(answer.readings[3].scopes == "edu.users.read" && answer.readings[5].scopes == nil)
            #expect(answer.readings.last?.fields.contains("familyName") == true)
            #expect(answer.names["person:\(head.id.rawValue)"] == head.fullName)
        }
    }
}
