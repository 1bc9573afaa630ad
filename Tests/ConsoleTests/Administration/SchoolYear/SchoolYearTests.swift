import Authorization
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// A school's year, from August to July, by the administration API alone, while five apps read. After each change: no id of
/// a child leads an app to another one, no child gets another id, no app sees more or less than its rules say, the change
/// is in the trail, and taken back it leaves nothing behind.
@Suite struct SchoolYearTests {
    /// 10 August 2026, three weeks before the other tests begin.
    private static let start = FixedSurroundings.start.addingTimeInterval(-22 * 86_400)

    @Test("a year of a school is played by the API alone", arguments: TestDatabase.available)
    func year(_ kind: TestDatabase) async throws {
        func configure(_ configuration: inout ServerConfiguration) {
            // The clock stands still, so that nobody gets a further request by waiting.
            configuration.rateLimit.burst = 1e9
        }
        try await APIUser.with(on: kind, at: Self.start, configure: configure) { user in
            let year = SchoolYear(user)
            // With the other database the year is the same, for fewer.
            let count = kind == .sqlite ? 2_000 : 400
            let apps = try await Self.apps(of: user.server)
            let passwords = try await Self.august(year, apps, count)
            try await year.wait(days: 35)
            try await Self.september(year, apps, passwords)
            try await year.wait(days: 60)
            try await Self.november(year, passwords)
            try await year.wait(days: 60)
            let files = try await Self.january(year, apps, count)
            try await year.wait(days: 48)
            try await Self.march(year, apps, files)
            try await year.wait(days: 105)
            try await Self.june(year)
            try await year.wait(days: 30)
            try await Self.july(year, apps)
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
    /// - Returns: the temporary passwords at one of the schools, by first name.
    private static func august(
        _ year: SchoolYear, _ apps: [TestApp], _ count: Int
    ) async throws -> [String: String] {
        for name in ["Maple North", "Maple South"] {
            try await year.change("locations", ["name": name, "locationID": SchoolFiles.id(ofPlace: name)])
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
        #expect(try await year.due("term-ends") == ["2027-06-11 \(classCount)"])

        let slips = try await year.change("passwords", ["at": "Maple North", "role": "student"])
        let issued = (slips["result"] as? [String: Any])?["people"] as? [[String: Any]] ?? []
        let passwords = Dictionary(
            uniqueKeysWithValues: issued.map { ($0["firstName"] as? String ?? "", $0["password"] as? String ?? "") })
        #expect(passwords.count == count / 2 && Set(passwords.values).count == passwords.count)
        #expect(try await year.due("passwords-end") == ["2026-11-08 \(count / 2)"])

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
        return passwords
    }

    private static func place(_ number: Int) -> String { number.isMultiple(of: 2) ? "Maple North" : "Maple South" }

    /// People whose fate is told below, who sign in at several times of the year. The first four have got slips.
    private static let signers = ["Pupil0x", "Pupil4x", "Pupil8x", "Pupil20x", "Pupil7x"]

    private static func signIn(_ year: SchoolYear) async throws {
        for name in signers { try await year.signIn(name) }
    }

    /// A new password for one person.
    private static func password(for person: String, _ year: SchoolYear) async throws -> String {
        let answer = try await year.change("people/\(person)/password")
        return try #require((answer["result"] as? [String: Any])?["password"] as? String)
    }

    /// Pupils sign in. People come, go and get other names; somebody has two records; parents object.
    private static func september(
        _ year: SchoolYear, _ apps: [TestApp], _ passwords: [String: String]
    ) async throws {
        for name in signers.dropLast() {
            let temporary = try #require(passwords[name], "\(name) has got a slip")
            try await year.signIn(name, with: temporary)
        }
        try await year.signIn("Pupil7x", with: try await password(for: "old-7", year))
        try await year.look()

        try await year.changeTwice("people/old-7/edit", ["lastName": "Ruiz-Park", "clear": ["email"]])
        try await year.changeTwice("people/old-7/rename", ["userName": "ruizpark@maple.example"])
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
        try await signIn(year)
    }

    /// Temporary passwords that nobody has used are good no more.
    private static func november(_ year: SchoolYear, _ passwords: [String: String]) async throws {
        try await year.expectTooLate("Pupil6x", with: try #require(passwords["Pupil6x"]))
        try await year.signIn("Pupil6x", with: try await password(for: "old-6", year))
        try await signIn(year)
    }

    /// Another information system with files, an app that is stopped for a while, and many who leave by mistake.
    private static func january(_ year: SchoolYear, _ apps: [TestApp], _ count: Int) async throws -> SchoolFiles {
        try await year.changeTwice(
            "id-maps",
            ["moves": (0..<count).map { ["kind": "person", "old": "old-\($0)", "new": "new-\($0)"] }])
        try await signIn(year)
        // Administrators see in how many browsers somebody has signed in.
        try await year.look()
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

        // The new system's classes are besides those that were made by hand. It has two new pupils.
        let classes = (0..<(count / 50)).map { number in
            SchoolFiles.Timetabled(
                id: "k-\(number)", name: "Course \(number)", place: SchoolFiles.id(ofPlace: place(number)),
                students: (0..<10).map { "new-\(number / 2 * 100 + number % 2 + 2 * $0)" })
        }
        var files = try SchoolFiles(year.people, classes: classes)
        #expect(files.pupils.count == count)
        for name in ["Ada", "Bo"] {
            files.pupils.append(
                SchoolFiles.Pupil(
                    id: "new-\(name)", firstName: "Newcomer\(name)", lastName: "Silva", grade: "7", email: "",
                    place: "north"))
        }
        let done = try await year.change("imports", ["archive": try files.archive(), "term": "2026/27"])
        expectApplied(done)
        #expect(year.people.count { $0["source"] as? String == "csv" } == count + 2)
        #expect(year.classes.count { $0["term"] as? String == "2026/27" } == 2 * classes.count)

        try await year.changeTwice("apps/\(apps[1].clientID)/consent/last-day", ["lastDay": "2027-02-28"])
        #expect(try await year.due("consent-ends") == ["2027-02-28 1"])
        try await signIn(year)
        try await year.expectReaders(of: "Pupil4x")
        try await year.expectExplained(explained)
        return files
    }

    private static func expectApplied(_ answer: [String: Any]) {
        let report = answer["result"] as? [String: Any] ?? [:]
        #expect(report["outcome"] as? String == "applied", "\(report)")
    }

    /// Ten people to whom something different has happened, or happens later.
    private static let explained = [
        "Pupil0x", "Pupil4x", "Pupil7x", "Pupil8x", "Pupil20x", "Late", "Pupil42x", "Pupil101x", "Teacher3",
        "NewcomerBo",
    ]

    /// A consent ends by itself. Six pupils and some classes go by an import that somebody approves, and a dozen by one that
    /// is taken back. One of those who have left must be kept.
    private static func march(_ year: SchoolYear, _ apps: [TestApp], _ files: SchoolFiles) async throws {
        // Until noon of 1 March in UTC it is 28 February somewhere.
        try await year.wait(minutes: 239)
        try await year.passEnd(of: apps[1], minutes: 1)
        #expect(try await year.due("consent-ends").isEmpty)

        var left = files.without((40..<46).map { "new-\($0)" })
        left.classes.removeLast(max(4, files.classes.count / 5))
        let plan = try await year.hold(left, term: "2026/27")
        #expect(try await year.due("import-is-held") == ["2027-03-01 1"])
        expectApplied(try await year.change("imports", ["files": "held", "approve": plan]))
        #expect(try await year.due("import-is-held").isEmpty)
        for number in 40..<46 {
            let person = year.people.first { $0["personID"] as? String == "new-\(number)" }
            #expect(person?["state"] as? String == "deactivated")
        }

        var wrong = left.without((60..<72).map { "new-\($0)" })
        wrong.classes.removeLast()
        for index in wrong.pupils.indices.suffix(50) { wrong.pupils[index].grade = "7" }
        try await year.changeAndUndo("imports", ["archive": try wrong.archive(), "term": "2026/27"])

        try await year.change(
            "holds", ["person": "new-42", "reason": "Accident of 12 January", "until": "2027-12-31"])
        #expect(try await year.due("hold-ends") == ["2027-12-31 1"])
        try await signIn(year)
        try await year.expectExplained(explained)
    }

    /// The term ends. A rule erases who has left, but for whom the hold keeps.
    private static func june(_ year: SchoolYear) async throws {
        try await year.changeTwice("terms/2026%2F27/close")
        try await year.look()
        let ended = year.classes.filter { $0["term"] as? String == "2026/27" }
        #expect(!ended.isEmpty && ended.allSatisfy { $0["archivedAt"] != nil })

        let left = year.people.filter { $0["state"] as? String == "deactivated" && $0["mergedInto"] == nil }
        let numbers = Set(left.compactMap { $0["number"] as? Int })
        let kept = try #require(year.numbers["Pupil42x"])
        let preview = try await year.user.send(.GET, "retention/left-people/due?days=90")
        #expect(preview.status == 200, "\(preview.line)")
        let due = preview.list("people")
        #expect(Set(due.compactMap { $0["number"] as? Int }) == numbers && numbers.count == 7)
        #expect(due.filter { $0["keptByHold"] != nil }.compactMap { $0["number"] as? Int } == [kept])
        #expect(try await year.user.send(.GET, "retention/left-people/due?days=365").list("people").isEmpty)
        try await year.changeTwice("retention/left-people", ["days": 90])
        try await year.sweep(erasing: numbers.subtracting([kept]))
        try await signIn(year)
    }

    /// The oldest leave, and an app is allowed anew: it knows everybody by the ids that it had.
    private static func july(_ year: SchoolYear, _ apps: [TestApp]) async throws {
        let leavers = year.people.filter { $0["grade"] as? String == "12" && $0["state"] as? String != "deactivated" }
        #expect(!leavers.isEmpty)
        try await year.change(
            "bulk/person.deactivate",
            ["items": leavers.map { ["person": "PE-\($0["number"] as? Int ?? 0)"] }])
        try await year.erase("new-14")
        try await year.connect(apps[1])
        try await year.look()
        try await signIn(year)
        try await year.expectExplained(explained)
    }

    private static func expectWholeTrail(_ server: TestServer) async throws {
        let organization = server.maple.organization.id
        #expect(try await server.database.read { try AuditRecord.firstBreak(of: organization, in: $0) } == nil)
    }
}
