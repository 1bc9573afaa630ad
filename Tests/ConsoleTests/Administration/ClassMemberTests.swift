import Administration
import Directory
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// Who learns what the members of a class are called.
@Suite struct ClassMemberTests {
    @Test(
        "whoever manages classes and may not read people gets numbers of members, and no names",
        arguments: TestDatabase.available)
    func names(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let (server, maple) = (user.server, user.server.maple)
            let manager = try await user.another(name: "Timetable", [.manageClasses])
            let reader = try await user.another(name: "Timetable with names", [.manageClasses, .readPeople])
            let path = "classes/CL-\(maple.science.rawValue)"
            let secrets = [maple.nadia, maple.teacher].flatMap {
                [$0.givenName, $0.familyName, $0.fullName, $0.userName]
            }
            func check(_ answer: Answer, names: Bool, _ what: String) {
                #expect(answer.status == 200, "\(what): \(answer.line)")
                for secret in secrets { #expect(answer.body.contains(secret) == names, "\(what): \(secret)") }
                #expect(answer.body.contains("\"number\":\(maple.nadia.id.rawValue)"), "\(what): \(answer.body)")
            }
            #expect(try await manager.send(.GET, path).status == 403)
            for (one, names) in [(manager, false), (reader, true)] {
                let room = #"{"room": "\#(names ? "2" : "1")"}"#
                let preview = try await one.send(.POST, "\(path)?dryRun=true", json: room)
                #expect(preview.status == 200, "\(preview.line)")
                for secret in secrets where !names { #expect(!preview.body.contains(secret), "\(secret)") }
                check(try await one.send(.POST, path, json: room), names: names, "edit")
                check(try await one.send(.POST, "\(path)/archive"), names: names, "archive")
                check(try await one.send(.POST, "\(path)/restore"), names: names, "restore")
                let bulk = try await one.send(
                    .POST, "bulk/class.archive", json: #"{"items": [{"class": "CL-\#(maple.science.rawValue)"}]}"#)
                check(bulk, names: names, "bulk")
                if names {
                    check(try await one.send(.DELETE, path), names: true, "remove")
                } else {
                    check(try await one.send(.POST, "\(path)/restore"), names: false, "restore")
                }
            }
            #expect(try await server.count("class") >= 1)
        }
    }

    @Test("who is taken out of a class that an import keeps is named as the caller has named them")
    func imported() async throws {
        try await APIUser.with { user in
            let (server, maple) = (user.server, user.server.maple)
            try await server.database.write { transaction in
                try transaction.execute(
                    "UPDATE class SET source = 'csv', missing_since = NULL WHERE id = $1", [maple.science])
                try transaction.execute(
                    "UPDATE class_student SET roster_id = 'R-1', import_id = 1 WHERE class_id = $1", [maple.science])
            }
            let manager = try await user.another(name: "Timetable", [.manageClasses])
            let answer = try await manager.send(
                .POST, "classes/CL-\(maple.science.rawValue)",
                json: #"{"removeStudents": ["PE-\#(maple.nadia.id.rawValue)"]}"#)
            #expect(answer.status == 409, "\(answer.line)")
            #expect(answer.body.contains("has put PE-\(maple.nadia.id.rawValue) into"), "\(answer.body)")
            #expect(!answer.body.contains(maple.nadia.familyName))
        }
    }
}
