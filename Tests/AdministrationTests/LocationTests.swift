import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct LocationTests {
    @Test("an edit is taken back exactly, and one that changes nothing is no change", arguments: TestDatabase.available)
    func edits(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let annex = LocationReference("Annex")
            func record() async throws -> LocationRecord? {
                try await scene.operator.ask(ListLocations()).locations.first { $0.name.hasPrefix("Annex") }
            }
            _ = try await scene.operator.perform(
                EditLocation(location: annex, domain: "annex.maple.example", studentPasswordPolicy: .fourDigits))
            let before = try await record()
            let done = try await scene.operator.perform(
                EditLocation(location: annex, name: "Annex North", timeZone: "Asia/Tokyo", clear: [.domain]))
            #expect(done.answer.domain == nil && done.answer.timeZone == "Asia/Tokyo")
            #expect(done.answer.studentPasswordPolicy == .fourDigits && done.answer.version != before?.version)
            let same = try await scene.operator.perform(
                EditLocation(location: LocationReference("Annex North"), timeZone: "Asia/Tokyo"))
            #expect(same.effects.isEmpty && same.change == nil && same.answer == done.answer)
            _ = try await scene.operator.undo(try #require(done.change))
            #expect(try await record() == before)
        }
    }

    @Test(
        "a location is found by a part of its name, id or domain, in any script, and page by page",
        arguments: TestDatabase.available)
    func finds(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (organization, now) = (scene.school.organization.id, scene.school.fixed.now)
            try await scene.database.write { transaction in
                for number in 1...1_200 {
                    _ = try Location.insert(
                        in: organization, sourceID: "L-\(number)", name: "School \(number)", at: now, in: transaction)
                }
                for (name, domain) in [("École Élémentaire", "ecole.example"), ("つきのわ小学校", nil)] as [(String, String?)]
                {
                    _ = try Location.insert(
                        in: organization, name: name, domainName: domain, at: now, in: transaction)
                }
            }
            func names(_ text: String, after: Int64? = nil, limit: Int = 50) async throws -> [String] {
                try await scene.operator.ask(ListLocations(text: text, after: after, limit: limit)).locations.map(
                    \.name)
            }
            #expect(try await names("ECOLE elem") == ["École Élémentaire"])
            #expect(try await names("ecole.ex") == ["École Élémentaire"])
            #expect(try await names("のわ小") == ["つきのわ小学校"])
            #expect(try await names("l-1199") == ["School 1199"])
            #expect(try await names("%") == [])
            #expect(try await names("School 120") == ["School 120", "School 1120", "School 1200"])
            let first = try await scene.operator.ask(ListLocations(text: "school 11", limit: 100))
            let rest = try await scene.operator.ask(ListLocations(text: "school 11", after: first.next, limit: 100))
            #expect(first.locations.count == 100 && rest.locations.count == 20 && rest.next == nil)
            #expect(Set((first.locations + rest.locations).map(\.id)).count == 120)
        }
    }

    @Test("what belongs to a location is counted, up to a thousand of each kind", arguments: TestDatabase.available)
    func shows(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (organization, place) = (scene.school.organization.id, scene.school.location.id)
            func show() async throws -> ShowLocation.Answer {
                try await scene.operator.ask(ShowLocation(location: LocationReference(place)))
            }
            func number(of role: Role, in answer: ShowLocation.Answer) -> Int {
                answer.roles.first { $0.role == role }?.number ?? 0
            }
            let before = try await show()
            let both = try await scene.school.insertPerson("both", .student)
            try await scene.school.assign(.staff, at: place, to: both)
            let teacher = try await scene.school.insertPerson("teacher", .instructor)
            try await scene.school.assign(.staff, at: place, to: teacher)
            try await scene.school.assign(.staff, at: scene.annex.id, to: scene.pupil)
            let gone = try await scene.school.insertClass("Old club")
            _ = try await scene.school.insertClass("Choir")
            let now = scene.school.fixed.now
            try await scene.database.write { transaction in
                try ManagedClass.find(gone, in: organization, transaction)?.archive(at: now, in: transaction)
            }
            _ = try await scene.operator.perform(SetPickUp(school: LocationReference(place), hour: 2))
            let after = try await show()
            #expect(after.people == before.people + 2 && after.classes == before.classes + 1)
            #expect(after.use.people == before.use.people + 2)
            #expect(number(of: .student, in: after) == number(of: .student, in: before) + 1)
            #expect(number(of: .staff, in: after) == number(of: .staff, in: before) + 2)
            #expect(after.roles.allSatisfy { $0.number > 0 } && after.pickUps.count == 1)
            try await scene.database.write { transaction in
                for number in 1...1_001 {
                    _ = try RosterClass.insert(
                        in: organization, name: "Class \(number)", location: place, at: now, in: transaction)
                }
            }
            let full = try await show()
            #expect(full.classes == 1_001 && full.use.classes == 101)
            await #expect(throws: OperationError.notFound(.location, "LO:4711", in: "Maple District")) {
                try await scene.operator.ask(ShowLocation(location: LocationReference("LO:4711")))
            }
        }
    }

    @Test("locations come page by page, and what is no location is refused")
    func badInput() async throws {
        try await Scene.with(.sqlite) { scene in
            let first = try await scene.operator.ask(ListLocations(limit: 1))
            let rest = try await scene.operator.ask(ListLocations(after: first.next, limit: 1))
            #expect(first.locations.map(\.name) == ["Maple District Main"] && rest.locations.map(\.name) == ["Annex"])
            #expect(rest.next == nil)
            await #expect(throws: OperationError.invalid(field: "limit", reason: "is not between 1 and 10000")) {
                try await scene.operator.ask(ListLocations(limit: 0))
            }
            _ = try await scene.operator.perform(AddLocation(name: "Middle", locationID: "middle"))
            await #expect(
                throws: OperationError.refused("Maple District has a location with the id “middle” already.")
            ) { try await scene.operator.perform(AddLocation(name: "Other", locationID: "middle")) }
            await #expect(throws: DirectoryError.self) {
                try await scene.operator.perform(AddLocation(name: "Moon", timeZone: "Moon/Base"))
            }
            await #expect(
                throws: OperationError.invalid(field: "domain", reason: "is given and also to be empty")
            ) {
                try await scene.operator.perform(
                    EditLocation(location: LocationReference("middle"), domain: "a.example", clear: [.domain]))
            }
        }
    }
}
