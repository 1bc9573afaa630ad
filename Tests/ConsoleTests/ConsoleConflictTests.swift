import Administration
import Directory
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// Forms that were filled in while somebody else has changed the same, and forms and addresses of another place.
@Suite struct ConsoleConflictTests {
    /// An address with a form, and what each of two people fills in there.
    private static let forms: [(path: String, first: [String: String], second: [String: String])] = [
        (
            "/manager/people/{person}/edit", ["firstName": "Nadja", "lastName": "Okoye"],
            ["firstName": "Nadine", "lastName": "Okoye"]
        ),
        (
            "/manager/people/{person}/rename", ["userName": "nadja@maple.example"],
            ["userName": "nadine@maple.example"]
        ),
        ("/manager/people/{person}/roles", ["role": "staff"], ["role": "manager"]),
        ("/manager/classes/{class}/edit", ["name": "Earth"], ["name": "Sky"]),
        ("/manager/classes/{class}/archive", [:], [:]),
        ("/manager/locations/{location}/edit", ["name": "Annex 2"], ["name": "Annex 3"]),
        (
            "/manager/classes/terms/edit?term=2026",
            ["name": "2026", "firstDay": "2026-08-18", "lastDay": "2027-07-01"],
            ["name": "2026", "firstDay": "2026-08-19", "lastDay": "2027-07-01"]
        ),
        ("/manager/settings/name", ["name": "Maple", "colour": "plum"], ["name": "Oak", "colour": "plum"]),
        ("/manager/settings/language", ["language": "ko"], ["language": "ja"]),
        (
            "/manager/settings/locations", ["locationTimeZone": "Europe/Berlin"],
            ["locationTimeZone": "Asia/Seoul"]
        ),
        (
            "/manager/settings/imports",
            ["removedPercent": "6", "changedPercent": "50", "renamedPercent": "2", "replacedMax": "3"],
            ["removedPercent": "7", "changedPercent": "50", "renamedPercent": "2", "replacedMax": "3"]
        ),
        ("/manager/apps/{app}/limit", ["lastDay": "2027-06-30"], ["lastDay": "2027-05-31"]),
        ("/manager/apps/term", ["kind": "year"], ["kind": "day", "day": "07-31"]),
        ("/manager/imports/pick-ups", ["hour": "3"], ["hour": "4"]),
        ("/manager/imports/pick-ups/{pickUp}", ["hour": "5"], ["hour": "6"]),
        ("/manager/people/{person}/deactivate", [:], [:]),
    ]

    @Test("of two who edit the same, the second is told, and overwrites nothing")
    func second() async throws {
        try await TestServer.with { server in
            let first = try await ConsoleVisitor(.administrator, of: server)
            let second = try await ConsoleVisitor(.siteManager, of: server)
            _ = try await server.connect()
            for (route, mine, theirs) in Self.forms {
                let path = first.filled(route, about: server.maple)
                let pages = [try await first.browser.get(path), try await second.browser.get(path)]
                let forms = pages.map { page in
                    // A page can have other forms, whose addresses begin alike.
                    page.forms.first { $0.action == path && $0.fields["version"] != nil }
                        ?? page.form(path, with: "version")
                }
                let (saved, late) = (try #require(forms[0], "\(path)"), try #require(forms[1], "\(path)"))
                let done = try await first.browser.submit(saved, mine)
                #expect(done.status == 303, "\(path) \(done.status)")
                let before = try await server.everything()
                let refused = try await second.browser.submit(late, theirs)
                #expect(refused.status == 409, "\(path) \(refused.status)")
                #expect(refused.heading == "Somebody else has changed this", "\(path)")
                #expect(try await server.everything() == before, "\(path)")
                // Who sends the same form twice is told as well, and not done again.
                let again = try await first.browser.submit(saved, mine)
                #expect(again.status == 409, "\(path) \(again.status)")
                #expect(try await server.everything() == before, "\(path)")
            }
        }
    }

    @Test("of two members of a team who edit the same app, the second is told, and overwrites nothing")
    func secondMember() async throws {
        try await TestServer.with { server in
            let path = server.filledPortal("/developer/teams/{team}/apps/{app}/edit")
            var late: (browser: Browser, form: Answer.Form)?
            for name in ["First", "Second"] {
                let browser = server.browser()
                try await server.signIn(server.scene.developer.userName, in: browser)
                let form = try #require(try await browser.get(path).form(path, with: "version"))
                late = late ?? (browser, form)
                let fields = [
                    "name": name, "clientIDs": server.quizzler.clientID, "scopes": "email", "confirmed": "yes",
                ]
                #expect(try await browser.submit(form, fields).status == 303, "\(name)")
            }
            let (browser, form) = try #require(late)
            let before = try await server.everything()
            let fields = ["name": "Third", "clientIDs": server.quizzler.clientID, "domains": "rival.example"]
            let refused = try await browser.submit(form, fields)
            #expect(refused.status == 409, "\(refused.status)")
            #expect(try await server.everything() == before)
        }
    }

    @Test("whoever loses the role in mid-work is refused the form that is still open, and changes nothing")
    func formerRole() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            _ = try await server.connect()
            let subjects = try await ConsoleSubjects(of: visitor, .administrator)
            for one in ConsoleCase.all where one.method == .GET {
                let answer = try await visitor.send(try await subjects.about(one))
                #expect(answer.status != 403, "\(one)")
            }
            try await server.database.write {
                try $0.execute("DELETE FROM role_assignment WHERE person_id = $1", [visitor.person.id])
            }
            let before = try await server.everything()
            let forms = ConsoleCase.all.filter { $0.method == .POST && $0.privilege != nil }
            #expect(forms.count > 60)
            for one in forms {
                let answer = try await visitor.send(try await subjects.about(one, isCarriedOut: false))
                #expect(answer.status == 403, "\(one) \(answer.status)")
                #expect(answer.heading != nil && !answer.body.contains("Okoye"), "\(one)")
            }
            #expect(try await server.everything() == before)
        }
    }

    /// What concerns all places and answers otherwise than 403 to whoever has the privilege for one place: pages that only ask
    /// or explain, forms in which what is missing is said first, and what there is not.
    private static let ofEverybody = [
        "GET /manager/access": 200, "GET /manager/activity/export": 200, "GET /manager/imports/ids": 200,
        "GET /manager/imports/upload": 200, "GET /manager/settings/api-clients/add": 200,
        "GET /manager/settings/api-clients/{client}/revoke": 404,
        "GET /manager/settings/realms/{realm}/remove": 404, "POST /manager/imports/ids": 422,
        "POST /manager/imports/ids/map": 422, "POST /manager/imports/upload": 422,
        "POST /manager/settings/retention/sessions": 422, "POST /manager/imports/pick-ups/{pickUp}/read": 404,
        "POST /manager/imports/pick-ups/{pickUp}/remove": 404, "POST /manager/imports/{import}/undo": 404,
        "POST /manager/settings/api-clients/{client}/revoke": 404,
        "POST /manager/settings/domains/{domain}/remove": 404, "POST /manager/settings/holds/{hold}/end": 404,
        "POST /manager/settings/realms/{realm}/remove": 404,
    ]

    @Test(
        "whoever looks after one place is refused what is at another, by whatever address, and changes nothing",
        arguments: [Role.siteManager, .peopleManager, .manager, .deviceEnrollmentManager])
    func elsewhere(_ role: Role) async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(role, at: server.maple.annex.id, of: server)
            _ = try await server.connect()
            let before = try await server.everything()
            let ofEverybody =
                ConsoleCase.imports + ConsoleCase.idMaps + ConsoleCase.pickUps + ConsoleCase.apps + ConsoleCase.access
                + ConsoleCase.activity + ConsoleCase.settings
            let ofSomebody = ConsoleCase.all.filter { $0.route.contains("{person}") || $0.route.contains("{class}") }
            #expect(ofSomebody.count >= 40)
            for one in ofSomebody {
                let answer = try await visitor.send(one)
                #expect(answer.status == 403, "\(role) \(one) \(answer.status)")
                #expect(!answer.body.contains("Okoye"), "\(role) \(one)")
            }
            // What concerns all places: a form does nothing, and no page names anybody elsewhere.
            for one in ofEverybody {
                let answer = try await visitor.send(one)
                let hasPrivilege = one.privilege.map(role.usualPrivileges.contains) ?? true
                let known = hasPrivilege ? Self.ofEverybody[one.testDescription] : nil
                let expected = one.route.contains("{job}") ? 404 : known ?? 403
                #expect(answer.status == expected, "\(role) \(one) \(answer.status)")
                #expect(!answer.body.contains("Okoye"), "\(role) \(one)")
            }
            let high = "/manager/locations/\(server.maple.high.id.rawValue)"
            let pupil = visitor.filled("{person}", about: server.maple)
            let answers = [
                try await visitor.browser.get(high), try await visitor.browser.get("\(high)/edit"),
                try await visitor.post("\(high)/edit", ["name": "Mine"]),
                try await visitor.post("/manager/devices/code", ["person": pupil]),
            ]
            for answer in answers {
                #expect(answer.status == 403, "\(role) \(answer.status) \(answer.heading ?? "")")
            }
            // Somebody elsewhere who is named in a form for many.
            for fields in [["choice": pupil], ["scope": "all", "role": "student"]] {
                for action in ["sign-out", "deactivate"] {
                    let all = fields.merging(["action": action, "confirmed": "yes"]) { own, _ in own }
                    let answer = try await visitor.post("/manager/people/bulk", all)
                    #expect(!answer.body.contains("Okoye"), "\(role) \(action) \(answer.status)")
                }
            }
            #expect(try await server.everything() == before, "\(role)")
        }
    }
}
