import Administration
import Authorization
import ConsolePages
import Directory
import Fixtures
import Foundation
import Hummingbird
import NIOHTTP1
import ServerPages
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// Who may open which page and send which form of the console, as ``Role/privileges`` say it.
@Suite struct ConsoleGridTests {
    @Test(
        "each role gets what its privileges open, is refused everything else, and changes nothing there",
        arguments: Role.allCases)
    func grid(_ role: Role) async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(role, of: server)
            _ = try await server.connect()
            let subjects = try await ConsoleSubjects(of: visitor, role)
            let before = try await server.everything()
            for one in ConsoleCase.all where !one.isOpen(to: role) {
                let answer = try await visitor.send(try await subjects.about(one, isCarriedOut: false))
                let mayBeUnknown = Self.made.contains(where: one.route.contains)
                #expect(
                    answer.status == 403 || (mayBeUnknown && answer.status == 404), "\(role) \(one) \(answer.status)")
            }
            #expect(try await server.everything() == before)
            for one in ConsoleCase.all where one.isOpen(to: role) {
                let answer = try await visitor.send(try await subjects.about(one))
                #expect(one.statuses.contains(answer.status), "\(role) \(one) \(answer.status) \(answer.problem)")
                let offers = ConsoleCase.offered(on: answer)
                let refused = offers.filter { offer in
                    offer.cases.isEmpty || !offer.cases.contains { $0.isOpen(to: role) }
                }
                #expect(refused.map(\.text) == [], "\(role) \(one) offers what it refuses")
            }
        }
    }

    @Test("nobody gets anything without signing in, and people of no organization get nothing of one")
    func strangers() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let personal = server.browser()
            try await server.signIn(try await server.addPersonal().userName, in: personal)
            let token = try await personal.get("/account").form("/language")?.fields["csrf_token"] ?? ""
            let before = try await server.everything()
            for one in ConsoleCase.all {
                let path = visitor.filled(one.address ?? one.route + one.query, about: server.maple)
                let fields = one.fields.mapValues { visitor.filled($0, about: server.maple) }
                let nobody = server.browser()
                if one.method == .GET {
                    let answer = try await nobody.get(path)
                    #expect(answer.status == 303 && answer.location.hasPrefix("/sign-in"), "\(one) \(answer.status)")
                    let theirs = try await personal.get(path)
                    #expect(theirs.status == 404, "\(one) \(theirs.status)")
                } else {
                    // Without a session there is no token by which forms are known to be the server's own.
                    let answer = try await nobody.post(path, fields)
                    #expect([303, 400].contains(answer.status), "\(one) \(answer.status)")
                    let theirs = try await personal.post(path, fields.merging(["csrf_token": token]) { own, _ in own })
                    #expect([400, 404].contains(theirs.status), "\(one) \(theirs.status)")
                }
            }
            #expect(try await server.everything() == before)
        }
    }

    /// What is another person's, or is made by forms that were refused before.
    private static let made = ["{job}", "{pickUp}", "{domain}", "{realm}", "{hold}"]

    @Test("the list has every page and form that there is")
    func isWhole() async throws {
        try await TestServer.with { server in
            let router = Router(context: AppContext.self)
            ConsoleRoutes(
                door: ConsoleDoor(desks: try server.desks), profile: nil, surroundings: server.fixed.surroundings,
                baseURL: TestServer.baseURL,
                sendsMail: true
            ).mount(on: router)
            let there = Set(router.routes.map { "\($0.method.rawValue) \($0.path)" })
            let listed = Set(ConsoleCase.all.map { "\($0.method.rawValue) \($0.route)" })
            #expect(there.subtracting(listed).sorted() == [])
            #expect(listed.subtracting(there).sorted() == [])
        }
    }

    @Test("what belongs to another organization is not found, even by the right number", arguments: [true, false])
    func otherOrganization(_ isTheirs: Bool) async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let district = isTheirs ? server.scene.birch : server.maple
            for one in ConsoleCase.all
            where one.method == .GET && ["{person}", "{class}", "{location}"].contains(where: one.route.contains) {
                let answer = try await visitor.send(one, about: district)
                #expect((answer.status == 404) == isTheirs, "\(one) \(answer.status)")
            }
        }
    }

    @Test(
        "whoever looks after one place finds at the desk what is open to them, and no refusal",
        arguments: [Role.siteManager, .peopleManager, .manager, .deviceEnrollmentManager])
    func onePlace(_ role: Role) async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(role, at: server.maple.annex.id, of: server)
            let home = try await visitor.browser.get("/manager")
            #expect(home.status == 200)
            let links = Set(home.body.matches(of: #/(?:href|data-path)="(/manager[^"]*)"/#).map { String($0.1) })
            #expect(links.contains(role == .deviceEnrollmentManager ? "/manager/devices" : "/manager/people"))
            for link in links {
                let answer = try await visitor.browser.get(link)
                #expect(answer.status == 200, "\(role) \(link) \(answer.status)")
                for action in answer.body.matches(of: #/class="(?:primary|secondary)" href="(/manager[^"]*)"/#) {
                    let shown = try await visitor.browser.get(String(action.1))
                    #expect(shown.status == 200, "\(role) \(action.1) \(shown.status)")
                }
            }
            for path in ["settings", "activity", "imports", "access/sign-in", "apps"] {
                let refused = try await visitor.browser.get("/manager/\(path)")
                #expect(refused.status == 403, "\(role) \(path) \(refused.status)")
            }
        }
    }

    @Test(
        "whoever looks after one place is told at the start which accounts are locked there, with the way to them",
        arguments: [Role.siteManager, .peopleManager, .manager])
    func findingsOfOnePlace(_ role: Role) async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(role, at: server.maple.annex.id, of: server)
            let quiet = try await visitor.browser.get("/manager")
            #expect(quiet.status == 200 && !quiet.body.contains("locked after wrong passwords"))
            let (maple, now) = (server.maple, server.fixed.now)
            try await server.database.write { transaction in
                let pupil = try Person.insert(
                    in: maple.organization.id, givenName: "Annie", familyName: "Locke", userName: "annie@maple.example",
                    at: now, in: transaction)
                try RoleAssignment(.student, at: maple.annex.id).insert(
                    for: pupil.id, of: maple.organization.id, at: now, in: transaction)
                try transaction.execute(
                    "UPDATE person SET state = 'locked' WHERE id IN ($1, $2)", [pupil.id, maple.nadia.id])
            }
            let home = try await visitor.browser.get("/manager")
            #expect(home.body.contains("1 account is locked after wrong passwords"))
            #expect(home.body.contains("href=\"/manager/people?state=locked\""))
            let people = try await visitor.browser.get("/manager/people?state=locked")
            #expect(people.body.contains("Annie Locke") && !people.body.contains(maple.nadia.familyName))
        }
    }

    @Test("whoever is an Administrator of one school alone is not offered what is decided for the whole organization")
    func administratorOfOneSchool() async throws {
        try await TestServer.with { server in
            for role in [Role.siteManager, .administrator] {
                let visitor = try await ConsoleVisitor(role, of: server)
                let (maple, now) = (server.maple, server.fixed.now)
                try await server.database.write {
                    try RoleAssignment(.administrator, at: maple.annex.id).insert(
                        for: visitor.person.id, of: maple.organization.id, at: now, in: $0)
                }
                let isOffered = role == .administrator
                let settings = try await visitor.browser.get("/manager/settings")
                #expect(settings.status == 200)
                #expect(settings.body.contains("href=\"/manager/settings/close\"") == isOffered, "\(role)")
                #expect(try await visitor.browser.get("/manager/settings/close").status == (isOffered ? 200 : 403))
                let realms = try await visitor.browser.get("/manager/settings/realms")
                #expect(realms.status == 200)
                #expect((realms.form("/manager/settings/realms") != nil) == isOffered, "\(role)")
                let set = ["realm": "AD.MAPLE.EXAMPLE", "matching": "user_name", "domain": "maple.example"]
                let answer = try await visitor.post("/manager/settings/realms", set)
                #expect((answer.status == 403) == !isOffered, "\(role) \(answer.status)")
            }
        }
    }

    @Test("a form changes of a role what it has offered, and nothing that came up since")
    func offered() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.peopleManager, of: server)
            let page = try await visitor.browser.get("/manager/settings/roles/manager")
            let form = try #require(page.form("/manager/settings/roles/manager"))
            // Meanwhile the visitor may do more, so that there would be more to decide.
            let maple = OrganizationReference.named(server.maple.organization.publicID)
            let operation = APIUser.operator(of: server)
            _ = try await operation.perform(SetRole(role: .peopleManager, give: [.readAudit]), in: maple)
            _ = try await operation.perform(SetRole(role: .manager, give: [.readAudit]), in: maple)
            let sent = ["offered": "classes.manage", "privileges": "people.manage", "confirmed": "yes"]
            let stale = try await visitor.browser.submit(form, sent)
            #expect(stale.status == 409, "\(stale.status)")
            var fields = form.fields.merging(sent) { $1 }
            fields["version"] = nil
            let done = try await visitor.post("/manager/settings/roles/manager", fields)
            #expect(done.status == 303, "\(done.status)")
            let after = try await operation.ask(ListRoles(), in: maple).roles.first { $0.role == .manager }
            #expect(after?.privileges == [.readAudit, .issuePasswords, .managePeople, .readPeople])
        }
    }

    @Test("a business has no classes, no terms, and no roster that apps read")
    func business() async throws {
        try await TestServer.with { server in
            try await server.database.write {
                try $0.execute("UPDATE organization SET kind = 'business' WHERE name = 'Maple District'")
            }
            let visitor = try await ConsoleVisitor(.administrator, of: server, addingTerm: false)
            for one in ConsoleCase.classes + ConsoleCase.terms + ConsoleCase.apps + ConsoleCase.dataSharing {
                #expect(try await visitor.send(one).status == 404, "\(one)")
            }
            let home = try await visitor.browser.get("/manager")
            #expect(!home.body.contains("/manager/classes\""))
        }
    }
}

/// Somebody with a role in the whole of Maple District, in a browser in which they are signed in.
struct ConsoleVisitor: Sendable {
    let server: TestServer
    let browser: Browser
    let person: Person
    /// What its forms send along.
    let token: String

    /// - Parameters:
    ///   - location: where the role is held; nil for the whole organization.
    ///   - addingTerm: whether the district gets a term, as schools have them.
    init(_ role: Role, at location: LocationID? = nil, of server: TestServer, addingTerm: Bool = true) async throws {
        let (maple, fixed) = (server.maple, server.fixed)
        let hash = try await PasswordHasher(cost: .low, surroundings: fixed.surroundings).hash(District.password)
        person = try await server.database.write { transaction in
            let person = try Person.insert(
                in: maple.organization.id, givenName: "Holder", familyName: role.rawValue,
                userName: "holder-\(role.rawValue)@maple.example", at: fixed.now, in: transaction)
            try RoleAssignment(role, at: location).insert(
                for: person.id, of: maple.organization.id, at: fixed.now, in: transaction)
            try Credential.put(hash, temporaryUntil: nil, for: person.id, at: fixed.now, in: transaction)
            if role == .instructor {
                try transaction.execute(
                    "INSERT INTO class_instructor (class_id, person_id, position) VALUES ($1, $2, 9)",
                    [maple.science, person.id])
            }
            guard addingTerm, let first = CalendarDay("2026-08-17"), let last = CalendarDay("2027-07-01"),
                try Term.find("2026", in: maple.organization.id, transaction) == nil
            else { return person }
            _ = try Term.insert(
                in: maple.organization.id, name: "2026", firstDay: first, lastDay: last, location: nil, at: fixed.now,
                in: transaction)
            return person
        }
        self.server = server
        browser = server.browser()
        try await server.signIn(person.userName, in: browser)
        token = try await browser.get("/account").form("/language")?.fields["csrf_token"] ?? ""
    }

    func send(_ one: ConsoleCase, about district: District? = nil) async throws -> Answer {
        let district = district ?? server.maple
        func filled(_ text: String) -> String { self.filled(text, about: district) }
        let path = filled(one.address ?? one.route + one.query)
        guard one.method == .POST else { return try await browser.get(path) }
        return try await browser.post(
            path, one.fields.mapValues(filled).merging(["csrf_token": token]) { own, _ in own })
    }

    /// The text with ids of the district in place of the names of parameters.
    func filled(_ text: String, about district: District) -> String {
        let names = [
            "{person}": "PE-\(district.nadia.id.rawValue)", "{pupil}": "PE-\(district.nadia.id.rawValue)",
            "{other}": "PE-\(district.ben.id.rawValue)", "{class}": "CL-\(district.science.rawValue)",
            "{location}": "\(district.annex.id.rawValue)", "{job}": "AAAAAAAAAAAAAAAAAAAAAA",
            "{app}": "\(server.scene.quizzler.app.id.rawValue)", "{import}": "999",
            "{earlier}": "998", "{pickUp}": "1", "{device}": "999", "{domain}": "pupils.example",
            "{realm}": "AD.MAPLE.EXAMPLE", "{hold}": "1", "{client}": "nobody", "{role}": "manager",
        ]
        return names.reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
    }

    /// Sends a form of the page with that path.
    func post(_ path: String, _ fields: [String: String] = [:]) async throws -> Answer {
        try await browser.post(path, fields.merging(["csrf_token": token]) { own, _ in own })
    }
}

extension Answer {
    /// Whether the page has a button for what nothing takes back.
    var isFinal: Bool { body.contains(#"class="primary dangerous""#) }

    /// Whether it leads to the page on which people show who they are, and back.
    func confirms(_ path: String) -> Bool { location == "/confirm?continue=\(Browser.escape(path))" }

    /// What a page of the console says was wrong.
    fileprivate var problem: String {
        body.firstMatch(of: #/(?s)role="alert">(.*?)</div>/#).map { String($0.1) } ?? ""
    }
}

extension TestServer {
    /// What opens console and portal, so that a test can ask for all their routes.
    var desks: DeskDoor {
        get throws {
            let surroundings = fixed.surroundings
            let pages = PageResponder(
                pages: try Pages(adding: [.console]), isSecure: false, surroundings: surroundings)
            let sessions = SessionReader(
                database: database, surroundings: surroundings, uses: SessionUses(idle: 7_200))
            return DeskDoor(
                door: AccountDoor(sessions: sessions, pages: pages), database: database,
                services: APIUser.services(of: self))
        }
    }
}
