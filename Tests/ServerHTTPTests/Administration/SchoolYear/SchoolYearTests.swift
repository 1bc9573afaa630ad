import Authorization
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP

/// A school's year, from August to July, by the administration API alone, while five apps read. After each change: no id of
/// a child leads an app to another one, no app sees more or less than its rules say, the change is in the trail, and
/// taken back it leaves nothing behind.
@Suite struct SchoolYearTests {
    @Test("a year of a school is played by the API alone", arguments: TestDatabase.available)
    func year(_ kind: TestDatabase) async throws {
        func configure(_ configuration: inout ServerConfiguration) {
            // The clock stands still, so that nobody gets a further request by waiting.
            configuration.rateLimit.burst = 1e9
            // What has expired is deleted in the background, which would change what is seen between two looks.
            configuration.tidyingInterval = .seconds(3_600)
        }
        try await APIUser.with(on: kind, configure: configure) { user in
            let year = SchoolYear(user)
            // With the other database the year is the same, for fewer.
            let count = kind == .sqlite ? 2_000 : 400
            let apps = try await Self.apps(of: user.server)
            try await Self.august(year, apps, count)
            try await year.wait(days: 30)
            try await Self.autumn(year, apps)
            try await year.wait(days: 90)
            try await Self.winter(year, apps, count)
            try await year.wait(days: 120)
            try await Self.summer(year, count)
            try await Self.expectWholeTrail(user.server)
        }
    }

    private static func apps(of server: TestServer) async throws -> [TestApp] {
        var apps = [server.quizzler, server.rival]
        for name in ["Atlas", "Reader", "Choir"] {
            apps.append(
                try await TestApp.insert(
                    "org.\(name.lowercased())", name: name, fixed: server.fixed.surroundings,
                    masterKey: server.scene.masterKey, in: server.database))
        }
        return apps
    }

    /// Places, people, classes, passwords, and what each app may see.
    private static func august(_ year: SchoolYear, _ apps: [TestApp], _ count: Int) async throws {
        for name in ["Maple North", "Maple South"] {
            try await year.change("locations", ["name": name, "locationID": name.suffix(5).lowercased()])
        }
        let classCount = count / 50
        let teachers = (0..<classCount).map { number in
            ["firstName": "Teacher\(number)", "lastName": "Lee", "role": "instructor", "at": place(number)]
        }
        let pupils = (0..<count).map { number in
            [
                "firstName": "Pupil\(number)x", "lastName": ["Ruiz", "김", "Ōe", "O’Neil"][number % 4],
                "role": "student", "at": place(number), "grade": "\(5 + number / 2 % 8)", "personID": "old-\(number)",
                "email": "pupil\(number)@maple.example",
            ]
        }
        try await year.change("bulk/person.add", ["items": teachers + pupils])
        let numbers = year.numbers
        try await year.change("terms", ["name": "2026/27", "firstDay": "2026-08-17", "lastDay": "2027-06-11"])
        let classes = (0..<classCount).map { number -> [String: Any] in
            [
                "name": "Class \(number)", "room": "R\(number)", "at": place(number),
                "instructors": ["PE-\(numbers["Teacher\(number)"] ?? 0)"],
                // Every second pupil is at the same place.
                "students": (0..<50).map { "PE-\(numbers["Pupil\(number / 2 * 100 + number % 2 + 2 * $0)x"] ?? 0)" },
            ]
        }
        try await year.change("bulk/class.add", ["items": classes])
        try await year.changeTwice(
            "bulk/class.edit", ["items": (0..<classCount).map { ["class": "Class \($0)", "term": "2026/27"] }])

        let slips = try await year.change("passwords", ["at": "Maple North", "role": "student"])
        let issued = (slips["result"] as? [String: Any])?["people"] as? [[String: Any]] ?? []
        #expect(issued.count == count / 2)
        #expect(Set(issued.compactMap { $0["password"] as? String }).count == issued.count)

        for app in apps.dropFirst(2) { try await year.change("access/data-sharing/apps", ["app": app.clientID]) }
        for app in apps { try await year.connect(app) }
        try await year.look()
        try await year.share(
            with: apps[1], ["roles": ["Student"], "withheld": ["email", "family-name"]],
            PlainRules(roles: ["Student"], withheld: ["email", "familyName"]))
        let north = try await year.locationID("Maple North")
        try await year.share(with: apps[2], ["locations": ["Maple North"]], PlainRules(places: [north]))
        try await year.share(
            with: apps[3], ["grades": ["7", "8"], "roles": ["Student"]],
            PlainRules(grades: ["7", "8"], roles: ["Student"]))
        let two = ["Class 3", "Class 4"].compactMap { year.classNumbers[$0] }
        try await year.share(
            with: apps[4], ["classes": two.map { "CL-\($0)" }], PlainRules(classes: Set(two)))
    }

    private static func place(_ number: Int) -> String { number.isMultiple(of: 2) ? "Maple North" : "Maple South" }

    /// People come, go and get other names; somebody has two records; parents object.
    private static func autumn(_ year: SchoolYear, _ apps: [TestApp]) async throws {
        try await year.changeTwice("people/old-7/edit", ["lastName": "Ruiz-Park", "clear": ["email"]])
        try await year.change("people/old-7/rename", ["userName": "ruizpark@maple.example"])
        try await year.changeTwice("people/old-8/roles", ["role": "student", "at": "Maple South"])
        try await year.changeTwice("people/old-8/roles/student?at=Maple%20North", [:], .DELETE)
        try await year.changeTwice("classes/Class%203", ["addStudents": ["old-0", "old-2"]])
        try await year.changeTwice("classes/Class%204", ["removeStudents": ["old-200"]])
        try await year.changeTwice("people/old-11/deactivate")
        try await year.changeTwice("people/old-11/reactivate")
        try await year.change(
            "people", ["firstName": "Late", "lastName": "Comer", "role": "student", "at": "Maple North", "grade": "7"])
        let late = try #require(year.numbers["Late"])
        try await year.changeTwice("people/old-20/merge", ["other": "PE-\(late)"])
        try await year.leaveOut(try #require(year.numbers["Pupil4x"]), of: apps[0])
        try await year.leaveOut(try #require(year.numbers["Pupil4x"]), of: apps[2])
    }

    /// Another information system, an app that is stopped for a while, and many who leave by mistake.
    private static func winter(_ year: SchoolYear, _ apps: [TestApp], _ count: Int) async throws {
        try await year.changeTwice(
            "id-maps",
            ["moves": (0..<count).map { ["kind": "person", "old": "old-\($0)", "new": "new-\($0)"] }])
        try await year.setAllowed(false, apps[2])
        try await year.setAllowed(true, apps[2])
        try await year.changeTwice("classes/Class%205/archive")
        try await year.changeTwice("classes/Class%205/restore")
        let everybody = (0..<60).map { ["person": "new-\(100 + $0)"] }
        try await year.changeTwice(
            "bulk/person.deactivate", ["items": everybody + [["person": "nobody"]], "mode": "each"])
        try await year.changeTwice("bulk/person.reactivate", ["items": everybody])
        try await year.share(
            with: apps[1], ["roles": ["Student", "Instructor"], "withheld": ["email"]],
            PlainRules(roles: ["Student", "Instructor"], withheld: ["email"]))
    }

    /// The term ends, and the oldest leave.
    private static func summer(_ year: SchoolYear, _ count: Int) async throws {
        try await year.changeTwice("terms/2026%2F27/close")
        let leavers = (0..<count).filter { 5 + $0 / 2 % 8 == 12 }.map { ["person": "new-\($0)"] }
        try await year.change("bulk/person.deactivate", ["items": leavers])
        try await year.erase("new-14")
    }

    private static func expectWholeTrail(_ server: TestServer) async throws {
        let organization = server.maple.organization.id
        #expect(try await server.database.read { try AuditRecord.firstBreak(of: organization, in: $0) } == nil)
    }
}
