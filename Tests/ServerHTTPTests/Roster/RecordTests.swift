import Directory
import Fixtures
import Foundation
import ServerHTTP
import Storage
import Testing
import TestSupport

@testable import TestServers

/// What stands in users, classes and locations: docs/specifications/roster-api.md, 2.
@Suite struct RecordTests {
    @Test("role is compared in any case, and emitted in one spelling")
    func roleCase() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            for role in ["student", "STUDENT", "Student"] {
                let users = try await server.roster("/users?role=\(role)", tokens).list("users")
                #expect(users.count == server.maple.students.count)
                #expect(users.allSatisfy { $0["roles"] as? [String] == ["Student"] })
            }
        }
    }

    @Test("the six roles of administration are Staff")
    func staff() async throws {
        try await TestServer.with { server in
            let (maple, now) = (server.maple, server.fixed.now)
            let roles: [Role] = [
                .administrator, .siteManager, .peopleManager, .deviceEnrollmentManager, .contentManager, .manager,
            ]
            try await server.database.write { transaction in
                for role in roles + [.staff] {
                    let person = try Person.insert(
                        in: maple.organization.id, givenName: role.title, familyName: "Staff",
                        userName: "\(role.rawValue)@staff.example", at: now, in: transaction)
                    try RoleAssignment(role, at: maple.high.id).insert(
                        for: person.id, of: maple.organization.id, at: now, in: transaction)
                }
            }
            let users = try await server.roster("/users?role=Staff", try await server.connect()).list("users")
            #expect(users.count == 3 + roles.count + 1)
            #expect(users.allSatisfy { $0["roles"] as? [String] == ["Staff"] })
        }
    }

    @Test(
        "roles are the distinct ones of the mapping, which has one entry a role and place",
        arguments: TestDatabase.available)
    func roles(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (maple, now) = (server.maple, server.fixed.now)
            try await server.database.write { transaction in
                // Staff twice at one place is Staff once.
                for role in [Role.staff, .contentManager, .student] {
                    try RoleAssignment(role, at: maple.annex.id).insert(
                        for: maple.teacher.id, of: maple.organization.id, at: now, in: transaction)
                }
            }
            let users = try await server.roster("/users?role=Instructor", try await server.connect()).list("users")
            let tara = try #require(users.first)
            let (high, annex) = ("LO:\(maple.high.id.rawValue)", "LO:\(maple.annex.id.rawValue)")
            #expect(users.count == 1)
            #expect(tara["roles"] as? [String] == ["Student", "Instructor", "Staff"])
            #expect(
                Set((tara["roleLocationMapping"] as? [[String: String]] ?? []).map(canonical)) == [
                    canonical(["roleName": "Instructor", "locationId": high]),
                    canonical(["roleName": "Instructor", "locationId": annex]),
                    canonical(["roleName": "Student", "locationId": annex]),
                    canonical(["roleName": "Staff", "locationId": annex]),
                ])
            #expect((tara["roleLocationMapping"] as? [Any])?.count == 4)
        }
    }

    @Test("no login name stands in for an e-mail, and only pupils have a grade")
    func emailAndGrade() async throws {
        try await TestServer.with { server in
            let teacher = server.maple.teacher.id
            try await server.database.write {
                try $0.execute("UPDATE person SET grade = '12' WHERE id = $1", [teacher])
            }
            let users = try await server.roster("/users", try await server.connect()).list("users")
            for user in users {
                let isStudent = user["roles"] as? [String] == ["Student"]
                if !isStudent { #expect(user["grade"] == nil) }
            }
            #expect(users.filter { $0["email"] != nil }.count == 3)
            #expect(users.filter { $0["grade"] != nil }.count == 1 + server.maple.students.count - 2)
        }
    }

    @Test("a deactivated person is in no list, in no class, and 404", arguments: TestDatabase.available)
    func deactivated(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (tokens, maple, now) = (try await server.connect(), server.maple, server.fixed.now)
            let nadia = try #require(
                try await server.roster("/users", tokens).list("users").first {
                    $0["givenName"] as? String == "Nadia"
                }?["id"]
                    as? String)
            try await server.database.write { try maple.nadia.deactivate(at: now, in: $0) }
            let science = "/classes/CL-\(maple.science.rawValue)"
            for path in ["/users", "/users?role=Student", "/classes", science, "\(science)/users"] {
                let answer = try await server.roster(path, tokens)
                #expect(answer.status == 200)
                #expect(!answer.body.contains(nadia), "\(path)")
            }
            #expect(try await server.roster("/users/\(nadia)", tokens).status == 404)

            try await server.database.write { try maple.nadia.reactivate(at: now, in: $0) }
            #expect(try await server.roster("/users/\(nadia)", tokens).status == 200)
        }
    }

    @Test("ids have the documented shape, and outlive revocation and new consent")
    func stableIDs() async throws {
        try await TestServer.with { server in
            let before = try await server.roster("/users", try await server.connect()).ids("users")
            try await server.revokeConsent(
                server.quizzler, by: server.maple.administrator, in: server.maple.organization.id)
            let after = try await server.roster("/users", try await server.connect()).ids("users")
            #expect(before == after)
            #expect(before.allSatisfy { $0.wholeMatch(of: #/[0-9]{6}\.[A-Za-z0-9]{40}\.[A-Za-z0-9]{4}/#) != nil })
        }
    }

    @Test("empty text is left out like absent text")
    func emptyText() async throws {
        try await TestServer.with { server in
            let (nadia, science) = (server.maple.nadia.id, server.maple.science)
            try await server.database.write { transaction in
                try transaction.execute("UPDATE person SET middle_name = '', email = '' WHERE id = $1", [nadia])
                try transaction.execute("UPDATE class SET room = '', display_name = '' WHERE id = $1", [science])
            }
            let tokens = try await server.connect()
            let user = try await server.roster("/users", tokens).list("users").first {
                $0["givenName"] as? String == "Nadia"
            }
            #expect(user?["middleName"] == nil && user?["email"] == nil)
            let found = try await server.roster("/classes/CL-\(science.rawValue)", tokens).json
            #expect(found["room"] == nil && found["displayName"] == nil)
        }
    }

    @Test("users of a class need both scopes; role is the one in the class")
    func usersOfClass() async throws {
        try await TestServer.with { server in
            let (maple, now) = (server.maple, server.fixed.now)
            let mixed = try await server.database.write { transaction in
                try RosterClass.insert(
                    in: maple.organization.id, name: "Mixed", instructors: [maple.nadia.id],
                    students: [maple.teacher.id, maple.ben.id], at: now, in: transaction)
            }
            let tokens = try await server.connect()
            let path = "/classes/CL-\(mixed.rawValue)/users"
            func names(_ query: String) async throws -> [String] {
                try await server.roster(path + query, tokens).list("users").compactMap { $0["givenName"] as? String }
            }
            let (all, students, instructors) = (
                try await names(""), try await names("?role=Student"), try await names("?role=instructor")
            )
            #expect(all == ["Tara", "Nadia", "Ben"])
            #expect(students == ["Tara", "Ben"])
            #expect(instructors == ["Nadia"])
            #expect(try await server.roster("\(path)?role=Staff", tokens).status == 400)
            #expect(try await server.roster("/classes/CL-999999/users", tokens).status == 404)
        }
    }

    @Test("edu.classes.read alone includes the ids of pupils and instructors")
    func idsWithClassesAlone() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect(scope: "edu.classes.read")
            let science = try await server.roster("/classes/CL-\(server.maple.science.rawValue)", tokens).json
            #expect((science["studentIds"] as? [String])?.count == server.maple.students.count)
            #expect((science["instructorIds"] as? [String])?.count == 1)
        }
    }

    @Test("pupils come in the order of the team's ids, which says nothing of other teams'; instructors in their own")
    func orderOfMembers() async throws {
        try await TestServer.with(studentCount: 30) { server in
            let (maple, now) = (server.maple, server.fixed.now)
            let taught = try await server.database.write { transaction in
                try RosterClass.insert(
                    in: maple.organization.id, name: "Team Teaching",
                    instructors: [maple.teacher.id, maple.administrator.id, maple.siteManager.id],
                    students: maple.students.map(\.id), at: now, in: transaction)
            }
            func members(_ app: TestApp) async throws -> (students: [String?], instructors: [String?]) {
                let tokens = try await server.connect(app)
                let users = try await server.roster("/users", tokens).list("users")
                let names = Dictionary(
                    uniqueKeysWithValues: users.map { ($0["id"] as? String ?? "", $0["givenName"] as? String) })
                let one = try await server.roster("/classes/CL-\(taught.rawValue)", tokens).json
                let students = one["studentIds"] as? [String] ?? []
                #expect(students.count == 30 && students == students.sorted())
                return (
                    students.map { names[$0] ?? nil },
                    (one["instructorIds"] as? [String] ?? []).map { names[$0] ?? nil }
                )
            }
            let (own, others) = (try await members(server.quizzler), try await members(server.rival))
            #expect(own.instructors == ["Tara", "Ada", "Sam"] && others.instructors == own.instructors)
            #expect(own.students != others.students && Set(own.students) == Set(others.students))
        }
    }

    @Test("one form of location id everywhere; the bare number and an escaped colon are found too")
    func locationIDs() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let number = server.maple.high.id.rawValue
            for id in ["LO:\(number)", "LO%3A\(number)", "LO%3a\(number)", "%4cO:\(number)", "\(number)"] {
                #expect(try await server.roster("/locations/\(id)", tokens).json["id"] as? String == "LO:\(number)")
            }
            let notUTF8 = try await RawConnection.exchange(
                """
                GET /rosterapi/v1/locations/%ff HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\
                Authorization: Bearer \(tokens.access)\r\n\r\n
                """, port: server.port)
            #expect(notUTF8.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
            let ada = try await server.roster("/users?limit=1", tokens).list("users").first
            let mapping = ada?["roleLocationMapping"] as? [[String: String]]
            #expect(mapping?.first?["locationId"] == server.maple.organization.publicID)
            for id in [server.maple.organization.publicID, "LO:", "LO:-1", "LO:x", "CL-1", "LO:99999999999999999999"] {
                #expect(try await server.roster("/locations/\(id)", tokens).status == 404, "\(id)")
            }
        }
    }

    @Test("the time zone is an IANA name, or an abbreviation if the operator says so")
    func timeZones() async throws {
        for (abbreviates, zone) in [(false, "America/Los_Angeles"), (true, "PST")] {
            try await TestServer.with(configure: { $0.abbreviatesTimeZones = abbreviates }) { server in
                let location = try await server.roster(
                    "/locations/LO:\(server.maple.high.id.rawValue)", try await server.connect()
                ).json
                #expect(location["timeZone"] as? String == zone)
            }
        }
    }

    @Test(
        "a location without domain and time zone has those of its organization",
        arguments: TestDatabase.available)
    func locationDefaults(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (tokens, maple) = (try await server.connect(), server.maple)
            server.fixed.advance(by: 60)
            let now = server.fixed.now
            try await server.database.write {
                try LocationDefaults(domainName: "Maple.example", timeZone: "Europe/Berlin").put(
                    for: maple.organization.id, at: now, in: $0)
            }
            let annex = try await server.roster("/locations/LO:\(maple.annex.id.rawValue)", tokens).json
            #expect(annex["domain"] as? String == "maple.example")
            #expect(annex["timeZone"] as? String == "Europe/Berlin")
            #expect(annex["dateLastModified"] as? String == "2026-09-01T08:01:00Z")
            // Its own comes first.
            let high = try await server.roster("/locations", tokens).list("locations").first
            #expect(high?["timeZone"] as? String == "America/Los_Angeles")
            await #expect(throws: DirectoryError.self) {
                try await server.database.write {
                    try LocationDefaults(domainName: nil, timeZone: "Nowhere").put(
                        for: maple.organization.id, at: now, in: $0)
                }
            }
        }
    }

    @Test("dates are whole seconds in UTC, and a changed role changes the user's")
    func dates() async throws {
        try await TestServer.with { server in
            let (tokens, maple) = (try await server.connect(), server.maple)
            server.fixed.advance(by: 61.75)
            let now = server.fixed.now
            try await server.database.write {
                try RoleAssignment(.instructor, at: maple.annex.id).insert(
                    for: maple.nadia.id, of: maple.organization.id, at: now, in: $0)
            }
            let nadia = try await server.roster("/users", tokens).list("users").first {
                $0["givenName"] as? String == "Nadia"
            }
            #expect(nadia?["dateCreated"] as? String == "2026-09-01T08:00:00Z")
            #expect(nadia?["dateLastModified"] as? String == "2026-09-01T08:01:01Z")
        }
    }

    @Test("every read is in the organization's log, with ids and without names")
    func audit() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            _ = try await server.roster("/users?role=Student&limit=2", tokens)
            _ = try await server.roster("/classes/CL-\(server.maple.science.rawValue)", tokens)
            let log = try await server.audit(of: server.maple.organization.id)
            let scopes = "scopes edu.classes.read edu.users.read"
            #expect(
                log.suffix(2) == [
                    "roster.read done 2 records, ids \(IDRuns([server.maple.nadia.id, server.maple.ben.id].map(\.rawValue)).text); role Student; \(scopes)",
                    "roster.read done class \(server.maple.science.rawValue); \(scopes)",
                ])
        }
    }
}
