import Administration
import Directory
import Fixtures
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// What is done to those who are ticked in a list of the console.
@Suite struct ConsoleChoiceTests {
    @Test("a button for several people says to choose somebody if nobody is ticked, and keeps the list as it was")
    func people() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            // Readings are written down a while after they were made.
            let changes = "audit_entry WHERE action NOT LIKE '%.read'"
            let before = try await server.count(changes)
            let answer = try await visitor.post(
                "/manager/people/bulk", ["action": "sign-out", "role": "student", "text": "Nadia"])
            #expect(answer.status == 422, "\(answer.line)")
            #expect(answer.body.contains("because nobody is chosen. Tick the people whom you mean"))
            #expect(answer.body.contains("Nadia Okoye") && !answer.body.contains("Tara Teacher"))
            #expect(try await !visitor.browser.get("/manager/people").body.contains("nobody is chosen"))
            #expect(try await server.count(changes) == before)
        }
    }

    @Test("what is done to several leads back to the list as it was narrowed, and so does taking it back")
    func narrowed() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let list = "/manager/people?text=Okoye&role=student"
            let asked = try await visitor.post(
                "/manager/people/bulk",
                [
                    "action": "deactivate", "choice": "PE-\(server.maple.nadia.id.rawValue)", "text": "Okoye",
                    "role": "student",
                ])
            let link = "href=\"\(list.replacing("&", with: "&amp;"))\""
            #expect(asked.status == 200 && asked.body.contains(link), "\(asked.line)")
            let done = try await visitor.browser.submit(asked.form("/manager/people/bulk"))
            #expect(done.status == 303 && done.location.hasPrefix("\(list)&changes="), "\(done.location)")
            let undo = try #require(try await visitor.browser.get(done.location).form("/manager/undo"))
            #expect(undo.fields["from"] == list)
            let undone = try await visitor.browser.submit(undo)
            #expect(undone.status == 200 && undone.body.contains(link), "\(undone.line)")
        }
    }

    @Test("the accounts of all whom a list has are unlocked at once, and so are they reactivated, which is taken back")
    func unlockedAndReactivated() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let (maple, now) = (server.maple, server.fixed.now)
            func rows(_ state: String) -> String {
                "person WHERE organization_id = \(maple.organization.id.rawValue) AND state = '\(state)'"
            }
            func press(_ action: String, _ state: String) async throws -> Answer {
                let asked = try await visitor.post(
                    "/manager/people/bulk", ["action": action, "scope": "all", "state": state])
                #expect(asked.status == 200 && asked.body.contains("Ben Berg"), "\(asked.line)")
                return try await visitor.browser.submit(asked.form("/manager/people/bulk"))
            }
            try await server.database.write {
                try $0.execute(
                    "UPDATE person SET state = 'locked' WHERE id IN ($1, $2)", [maple.nadia.id, maple.ben.id])
            }
            // There is nothing to take back.
            let unlocked = try await press("unlock", "locked")
            #expect(unlocked.status == 303 && unlocked.location == "/manager/people?state=locked")
            #expect(try await server.count(rows("locked")) == 0)

            try await server.database.write { try maple.ben.deactivate(at: now, in: $0) }
            #expect(try await server.count(rows("deactivated")) == 2)
            let list = "/manager/people?state=deactivated"
            let reactivated = try await press("reactivate", "deactivated")
            #expect(reactivated.status == 303 && reactivated.location.hasPrefix("\(list)&changes="))
            #expect(try await server.count(rows("deactivated")) == 0)
            let undo = try await visitor.browser.get(reactivated.location).form("/manager/undo")
            #expect(try await visitor.browser.submit(undo).status == 200)
            #expect(try await server.count(rows("deactivated")) == 2)
        }
    }

    private static let archived = "class WHERE archived_at IS NOT NULL"

    @Test("ticked classes are archived in the list of current ones and restored in the other, and that is taken back")
    func classes() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let bulk = "/manager/classes/bulk"
            let steps = [
                (action: "archive", narrowing: ["text": "Hall"], query: "?text=Hall", archived: 1),
                (action: "restore", narrowing: ["state": "archived"], query: "?state=archived", archived: 0),
            ]
            for step in steps {
                let path = "/manager/classes\(step.query)"
                let list = try await visitor.browser.get(path)
                #expect(list.body.contains("Study Hall"))
                for button in ["archive", "restore", "remove"] {
                    let isThere = list.body.contains("name=\"action\" value=\"\(button)\"")
                    #expect(isThere == (button == step.action), "\(button)")
                }
                var fields = step.narrowing
                fields["action"] = step.action
                let empty = try await visitor.post(bulk, fields)
                #expect(empty.status == 422 && empty.body.contains("because no class is chosen"), "\(empty.line)")
                #expect(empty.body.contains("Study Hall") && !empty.body.contains("Sci 7B"))
                fields["choice"] = "CL-\(server.maple.hall.rawValue)"
                let asked = try await visitor.post(bulk, fields)
                #expect(asked.status == 200 && asked.body.contains("Study Hall") && !asked.isFinal, "\(asked.line)")
                #expect(asked.body.contains("href=\"\(path)\""))
                #expect(try await server.count(Self.archived) == 1 - step.archived)
                let done = try await visitor.browser.submit(asked.form(bulk))
                #expect(done.status == 303 && done.location.hasPrefix("\(path)&changes="), "\(done.location)")
                #expect(try await server.count(Self.archived) == step.archived)
                let undo = try #require(try await visitor.browser.get(done.location).form("/manager/undo"))
                #expect(undo.fields["from"] == path)
                #expect(try await visitor.browser.submit(undo).status == 200)
                #expect(try await server.count(Self.archived) == 1 - step.archived)
                // The next step begins where this one has ended.
                let again = try await visitor.browser.submit(try await visitor.post(bulk, fields).form(bulk))
                #expect(again.status == 303)
            }
            let removal = ["action": "remove", "choice": "CL-\(server.maple.hall.rawValue)", "confirmed": "yes"]
            #expect(try await visitor.post(bulk, removal).status == 404)
        }
    }

    @Test("all classes of a list are archived by one box, if something narrows the list and it has several pages")
    func allClasses() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let (maple, now) = (server.maple, server.fixed.now)
            try await server.database.write { transaction in
                for number in 1...60 {
                    _ = try RosterClass.insert(
                        in: maple.organization.id, name: "Club \(number)", at: now, in: transaction)
                }
            }
            let bulk = "/manager/classes/bulk"
            func hasBox(_ query: String) async throws -> Bool {
                try await visitor.browser.get("/manager/classes\(query)").body.contains("name=\"scope\"")
            }
            #expect(try await hasBox("?text=Club"))
            #expect(try await !hasBox("?text=Hall"))
            #expect(try await !hasBox(""))
            let tooMuch = try await visitor.post(bulk, ["action": "archive", "scope": "all"])
            #expect(tooMuch.status == 422 && tooMuch.body.contains("Nothing narrows the list"), "\(tooMuch.line)")

            let asked = try await visitor.post(bulk, ["action": "archive", "scope": "all", "text": "Club"])
            let done = try await visitor.browser.submit(asked.form(bulk))
            #expect(done.status == 303 && done.location.hasPrefix("/manager/classes?text=Club&changes="))
            #expect(try await server.count(Self.archived) == 60)
            // To ask for the archived classes narrows nothing.
            #expect(try await !hasBox("?state=archived"))
            #expect(try await hasBox("?text=Club&state=archived"))
            let everything = ["action": "restore", "scope": "all", "state": "archived"]
            #expect(try await visitor.post(bulk, everything).status == 422)
            let undo = try await visitor.browser.get(done.location).form("/manager/undo")
            #expect(try await visitor.browser.submit(undo).status == 200)
            #expect(try await server.count(Self.archived) == 0)
        }
    }

    @Test("classes of a list are ticked by whoever may archive them")
    func whoTicksClasses() async throws {
        try await TestServer.with { server in
            for role in Role.allCases where role.usualPrivileges.contains(.readPeople) {
                let visitor = try await ConsoleVisitor(role, of: server)
                let list = try await visitor.browser.get("/manager/classes")
                #expect(list.status == 200 && list.body.contains("Sci 7B"), "\(role)")
                let mayArchive = role.usualPrivileges.contains(.manageClasses)
                #expect(list.body.contains("name=\"choice\"") == mayArchive, "\(role)")
                #expect((list.form("/manager/classes/bulk") != nil) == mayArchive, "\(role)")
            }
        }
    }

    private static let removed = "location WHERE archived_at IS NOT NULL"

    @Test("ticked locations are removed and restored, those in use stay, and all of it is taken back")
    func locations() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let (maple, now) = (server.maple, server.fixed.now)
            let empty = try await server.database.write { transaction in
                try (1...60).map {
                    try Location.insert(
                        in: maple.organization.id, name: "Pavilion \($0)", timeZone: "Europe/Berlin", at: now,
                        in: transaction)
                }
            }
            let bulk = "/manager/locations/bulk"
            let nothing = try await visitor.post(bulk, ["action": "remove", "text": "Pavilion"])
            #expect(nothing.status == 422 && nothing.body.contains("because no location is chosen"), "\(nothing.line)")
            #expect(nothing.body.contains("Pavilion 1") && !nothing.body.contains(maple.high.name))

            let asked = try await visitor.post(
                bulk, ["action": "remove", "choice": "LO:\(empty[0].id.rawValue)", "text": "Pavilion"])
            #expect(asked.status == 200 && asked.body.contains("Pavilion 1") && !asked.isFinal, "\(asked.line)")
            let done = try await visitor.browser.submit(asked.form(bulk))
            #expect(done.status == 303 && done.location.hasPrefix("/manager/locations?text=Pavilion&changes="))
            #expect(try await server.count(Self.removed) == 1)

            let tooMuch = try await visitor.post(bulk, ["action": "remove", "scope": "all"])
            #expect(tooMuch.status == 422 && tooMuch.body.contains("Nothing narrows the list"), "\(tooMuch.line)")
            let all = try await visitor.post(bulk, ["action": "remove", "scope": "all", "text": "Pavilion"])
            #expect(all.status == 200 && all.body.contains("A location where something still is stays."))
            let everyOne = try await visitor.browser.submit(all.form(bulk))
            #expect(try await server.count(Self.removed) == 60)
            let undo = try #require(try await visitor.browser.get(everyOne.location).form("/manager/undo"))
            #expect(try await visitor.browser.submit(undo).status == 200)
            #expect(try await server.count(Self.removed) == 1)

            let list = try await visitor.browser.get("/manager/locations?state=removed")
            #expect(list.body.contains("name=\"action\" value=\"restore\""))
            #expect(!list.body.contains("name=\"action\" value=\"remove\""))
            let back = try await visitor.post(
                bulk, ["action": "restore", "choice": "LO:\(empty[0].id.rawValue)", "state": "removed"])
            #expect(try await visitor.browser.submit(back.form(bulk)).status == 303)
            #expect(try await server.count(Self.removed) == 0)

            // People hold roles at the second one.
            let places = [empty[1].id, maple.high.id].map { "&choice=LO:\($0.rawValue)" }.joined()
            let mixed = try await visitor.browser.send(
                .POST, bulk, ["Content-Type": "application/x-www-form-urlencoded"],
                body: "action=remove&confirmed=yes&csrf_token=\(visitor.token)\(places)")
            #expect(mixed.status == 303, "\(mixed.line)")
            #expect(try await server.count(Self.removed) == 1)
        }
    }

    @Test("where everything is in use, the page says that nothing would change, and has no button")
    func locationsInUse() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let bulk = "/manager/locations/bulk"
            let answer = try await visitor.post(
                bulk, ["action": "remove", "choice": "LO:\(server.maple.high.id.rawValue)"])
            #expect(answer.status == 200 && answer.body.contains("Nothing would change."), "\(answer.line)")
            #expect(answer.body.contains("A location where something still is stays."))
            #expect(answer.form(bulk) == nil && !answer.body.contains("You can undo this afterwards"))
        }
    }

    @Test("locations are ticked by whoever looks after all of them")
    func whoTicksLocations() async throws {
        try await TestServer.with { server in
            let maple = server.maple
            let bulk = "/manager/locations/bulk"
            let fields = ["action": "remove", "choice": "LO:\(maple.annex.id.rawValue)"]
            for (role, place, mayRemove) in [
                (Role.administrator, nil, true), (.siteManager, nil, true), (.siteManager, maple.annex.id, false),
            ] {
                let visitor = try await ConsoleVisitor(role, at: place, of: server)
                let list = try await visitor.browser.get("/manager/locations")
                #expect(list.status == 200 && list.body.contains("Annex"), "\(role)")
                #expect(list.body.contains("name=\"choice\"") == mayRemove, "\(role)")
                #expect((list.form(bulk) != nil) == mayRemove, "\(role)")
                #expect(try await visitor.post(bulk, fields).status == (mayRemove ? 200 : 403), "\(role)")
                try await server.database.write {
                    try $0.execute("DELETE FROM person WHERE id = $1", [visitor.person.id])
                }
            }
        }
    }

    @Test("a button says to choose somebody in the list of the pupils of a class too")
    func pupils() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let path = "/manager/classes/CL-\(server.maple.science.rawValue)"
            let before = try await server.count("class_student")
            for fields in [["action": "remove"], ["addStudents": " "]] {
                let answer = try await visitor.post("\(path)/students", fields)
                #expect(answer.status == 422 && answer.body.contains("because nobody is chosen"), "\(answer.line)")
                #expect(answer.body.contains("Nadia Okoye"))
            }
            #expect(try await server.count("class_student") == before)
        }
    }
}
