import Administration
import Directory
import Foundation
import NIOHTTP1
import RosterFiles
import Testing
import TestSupport

@testable import TestServers

/// Imports over the API.
@Suite struct ImportAPITests {
    /// The six files as a ZIP archive, in base64.
    private static func archive(pupils: Int) throws -> String {
        // Random ids do not get smaller in the archive.
        try RosterArchive.packed(files(school: "L-1", pupils: (0..<pupils).map { _ in "\(UUID())" }))
    }

    /// The six files with pupils of these ids.
    private static func files(school: String, pupils: [String]) -> [String: String] {
        [
            "locations.csv": "location_id,location_name\n\(school),School \(school)\n",
            "students.csv":
                "person_id,location_id,first_name,last_name,middle_name,person_number,grade_level,email_address,"
                + "sis_username,password_policy\n"
                + pupils.map { "\($0),\(school),Pupil,Number\($0),,,4,,,\n" }.joined(),
            "staff.csv":
                "person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id\n",
            "courses.csv": "course_id,course_number,course_name,location_id\n",
            "classes.csv": "class_id,class_number,course_id,instructor_id,location_id\n",
            "rosters.csv": "roster_id,class_id,student_id\n",
        ]
    }

    private static func outcome(_ answer: Answer) -> String? {
        (answer.json["result"] as? [String: Any])?["outcome"] as? String
    }

    @Test("an import is looked at, applied and taken back over the API", arguments: TestDatabase.available)
    func small(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let body = #"{"archive": "\#(try Self.archive(pupils: 3))", "list": {"effects": ["comes"]}}"#
            let plan = try await user.send(.POST, "imports?dryRun=true", json: body)
            let report = try #require(plan.json["answer"] as? [String: Any], "\(plan.line)")
            #expect(report["outcome"] as? String == "planned")
            #expect((report["listing"] as? [String: Any]).map { ($0["people"] as? [Any])?.count } == 3)
            let done = try await user.send(.POST, "imports", json: body)
            #expect(done.status == 200 && Self.outcome(done) == "applied", "\(done.line)")
            let list = try await user.send(.GET, "imports")
            let number = try #require(list.list("imports").first?["number"] as? Int)
            #expect(list.list("imports").first?["filesAreKept"] as? Bool == true)
            let difference = try await user.send(.GET, "imports/\(number)/difference?from=\(number)")
            #expect(difference.status == 200 && difference.list("rows").isEmpty, "\(difference.line)")
            let change = try #require(done.json["change"] as? Int)
            #expect(try await user.send(.POST, "changes/\(change)/undo").status == 200)
            let kept = try await user.send(.POST, "imports", json: #"{"files": "\#(number)"}"#)
            let job = try await user.ended(try #require(kept["Location"], "\(kept.line)"))
            let answer = try #require(job.json["answer"] as? [String: Any], "\(job.line)")
            #expect((answer["result"] as? [String: Any])?["outcome"] as? String == "applied")
            let undo = try await user.send(.POST, "imports/last/undo")
            let undone = try await user.ended(try #require(undo["Location"], "\(undo.line)"))
            #expect(undone.json["state"] as? String == "done")
            let again = try await user.send(.POST, "imports/last/undo")
            #expect(again.status == 409, "\(again.line)")
        }
    }

    @Test(
        "an earlier import is taken back unless a later one has touched its records, which page and answer name",
        arguments: TestDatabase.available)
    func earlier(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            func post(_ pupils: [String], at school: String) async throws -> Int {
                let files = Self.files(school: school, pupils: pupils)
                let archive = try RosterArchive.packed(files)
                let body = #"{"archive": "\#(archive)", "schools": ["\#(school)"]}"#
                let done = try await user.send(.POST, "imports", json: body)
                #expect(Self.outcome(done) == "applied", "\(done.line)")
                return try #require((done.json["result"] as? [String: Any])?["importID"] as? Int)
            }
            func undo(_ number: Int) async throws -> Answer {
                let begun = try await user.send(.POST, "imports/\(number)/undo")
                guard let job = begun["Location"] else { return begun }
                return try await user.ended(job)
            }
            for school in ["L-1", "L-2"] {
                let added = try await user.send(
                    .POST, "locations", json: #"{"name": "School \#(school)", "locationID": "\#(school)"}"#)
                #expect(added.status == 200, "\(added.line)")
            }
            let pupils = (1...5).map { "S-\($0)" }
            let north = try await post(["N-1", "B-1"], at: "L-1")
            let south = try await post(pupils, at: "L-2")
            let both = try await post(pupils + ["B-1"], at: "L-2")

            // The one in between has nobody of the others.
            let visitor = try await ConsoleVisitor(.administrator, of: user.server)
            let page = try await visitor.browser.get("/manager/imports/\(north)")
            #expect(page.body.contains("Not as long as import \(both) stands"), "\(page.line)")
            #expect(page.body.contains("(B-1)") && !page.body.contains("/manager/imports/\(north)/undo"))
            let shown = try await user.send(.GET, "imports/\(north)")
            #expect(shown.json["canBeTakenBack"] as? Bool == false)
            let record = shown.list("touchedLater").first
            #expect(record?["kind"] as? String == "person" && record?["id"] as? String == "B-1", "\(shown.line)")
            #expect(record?["importID"] as? Int == both)
            let refused = try await undo(north)
            let failure = refused.json["failure"] as? [String: Any] ?? refused.json
            #expect((failure["detail"] as? String)?.contains("person B-1. Undo import \(both) first.") == true)

            #expect(try await undo(both).json["state"] as? String == "done")
            let free = try await visitor.browser.get("/manager/imports/\(north)")
            #expect(free.body.contains("/manager/imports/\(north)/undo"))
            #expect(try await user.send(.GET, "imports/\(north)").json["canBeTakenBack"] as? Bool == true)
            #expect(try await undo(north).json["state"] as? String == "done")
            let left = try await user.send(.GET, "imports").list("imports")
            let standing = left.filter { $0["undoneAt"] == nil }.compactMap { $0["number"] as? Int }
            #expect(standing == [south])
        }
    }

    @Test("a large import is a job that tells how far it has come", arguments: TestDatabase.available)
    func large(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let body = #"{"archive": "\#(try Self.archive(pupils: 4_000))"}"#
            let accepted = try await user.send(.POST, "imports", ["Idempotency-Key": "import-of-today-1"], json: body)
            #expect(accepted.status == 202, "\(accepted.line)")
            let again = try await user.send(.POST, "imports", ["Idempotency-Key": "import-of-today-1"], json: body)
            #expect(again["Location"] == accepted["Location"])
            let job = try await user.ended(try #require(accepted["Location"]))
            #expect(job.json["state"] as? String == "done", "\(job.line)")
            #expect(job.json["total"] as? Int == ImportProgress.stepsMax)
            let answer = try #require(job.json["answer"] as? [String: Any])
            #expect((answer["result"] as? [String: Any])?["outcome"] as? String == "applied")
            #expect(try await user.server.count("roster_import") == 1)
        }
    }

    @Test("whoever may not import is told so before the files are read, and wrong input names the field")
    func refusals() async throws {
        try await APIUser.with { user in
            let auditor = try await user.another(name: "Auditor", [.readAudit])
            #expect(try await auditor.send(.POST, "imports", json: "{").status == 403)
            for body in ["{}", #"{"archive": "!"}"#, #"{"archive": "AAAA", "files": "1"}"#, #"{"files": 7}"#] {
                let answer = try await user.send(.POST, "imports", json: body)
                #expect(answer.status == 422, "\(body): \(answer.line)")
            }
            #expect(try await user.send(.POST, "imports/7/undo").status == 404)
            #expect(try await user.send(.POST, "imports/x/undo").status == 404)
            #expect(try await user.send(.GET, "imports/7/difference?from=8").status == 404)
            let broken = try await user.send(.POST, "imports", json: #"{"archive": "AAAA"}"#)
            #expect(broken.status == 200 && Self.outcome(broken) == "defective", "\(broken.line)")
        }
    }
}
