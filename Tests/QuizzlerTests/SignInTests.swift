import Foundation
import Hummingbird
import LanyardAPI
import LanyardClient
import LanyardHummingbird
import Testing
@testable import quizzler

@Suite struct SignInTests {
    private typealias Visitor = FakeService.Visitor
    private static let classPath = TestBrowser.organizationPath + "/classes/CL%3A1"
    private static let otherClassPath = TestBrowser.organizationPath + "/classes/CL%3A2"

    /// A school with staff, a pupil without e-mail in one of two classes, and Quizzler connected to it.
    private func withSchool(_ test: @Sendable (TestBrowser) async throws -> Void) async throws {
        try await TestBrowser.with { connecting in
            connecting.service.change { state in
                state.users += [
                    User(id: "s3", givenName: "Fatima", familyName: "Silva", grade: "7"),
                    User(
                        id: "a1", givenName: "Priya", familyName: "Raman", roles: [.staff],
                        roleLocationMapping: [RoleLocation(roleName: .staff, locationID: "org/1")]),
                    User(
                        id: "c1", givenName: "Carla", familyName: "Cook", roles: [.staff],
                        roleLocationMapping: [RoleLocation(roleName: .staff, locationID: "LO:1")]),
                ]
                state.classes[0].studentIDs = ["s2", "s3"]
                state.classes.append(RosterClass(id: "CL:2", name: "Algebra", studentIDs: ["s1"]))
            }
            try await connecting.connect()
            try await test(connecting.otherBrowser())
        }
    }

    @Test("a parent is greeted by name, sees the address that they share, and no school")
    func parent() async throws {
        try await withSchool { browser in
            #expect(try await browser.get("/").body.contains(#"<a class="button" href="/sign-in">"#))
            #expect(try await browser.signIn(Visitor.parent).location == "/")
            let page = try await browser.get("/").body
            for text in ["Hello, \u{2068}Maria\u{2069}", "Maria Ruiz", "Personal account", "x7@relay.example"] {
                #expect(page.contains(text))
            }
            #expect(!page.contains("Maple") && !page.contains("not connected"))
            for path in [TestBrowser.organizationPath, Self.classPath, Self.otherClassPath] {
                #expect(try await browser.get(path).status == .notFound)
            }
        }
    }

    @Test("a teacher finds the classes of the roster by the same id, with all pupils, and no other class")
    func teacher() async throws {
        try await withSchool { browser in
            try await browser.signIn(Visitor.teacher)
            let page = try await browser.get("/").body
            for text in ["Teacher · \u{2068}Maple District\u{2069}", "Earth Science", "Fatima Silva", "山田太郎"] {
                #expect(page.contains(text))
            }
            #expect(!page.contains("Algebra"))
            let whole = try await browser.get(Self.classPath).body
            #expect(whole.contains("Fatima Silva") && whole.contains("Grade 7") && whole.contains("taro@maple.example"))
            for path in ["", "/disconnect", "/classes/CL%3A2"] {
                #expect(try await browser.get(TestBrowser.organizationPath + path).status == .notFound)
            }
        }
    }

    @Test("a pupil without e-mail sees own classes with first names, no row for an address, and nothing of teachers")
    func pupil() async throws {
        try await withSchool { browser in
            try await browser.signIn(Visitor.pupil)
            let page = try await browser.get("/").body
            for text in ["Hello, \u{2068}Fatima\u{2069}", "Pupil · ", "Earth Science", "Ana Ruiz", "太郎"] {
                #expect(page.contains(text))
            }
            let shared = try await browser.get(Self.classPath).body
            #expect(shared.contains("太郎") && shared.contains("Fatima"))
            for text in ["山田", "taro@", "ana@", "Grade", #"class="quiet email""#] { #expect(!shared.contains(text)) }
            for text in ["own-email", "山田", "Algebra"] { #expect(!page.contains(text)) }
            for path in ["", "/disconnect", "/classes/CL%3A2"] {
                #expect(try await browser.get(TestBrowser.organizationPath + path).status == .notFound)
            }
            let sync = try await browser.submit(TestBrowser.organizationPath + "/sync", on: "/practice")
            #expect(sync.status == .notFound)
        }
    }

    @Test("a cook sees no pupil, and disconnects nothing")
    func otherStaff() async throws {
        try await withSchool { browser in
            try await browser.signIn(Visitor(id: "c1", organizationID: "org/1"))
            #expect(try await browser.get("/").body.contains("Staff"))
            for path in ["", "/disconnect", "/classes/CL%3A1", "/classes/CL%3A2"] {
                #expect(try await browser.get(TestBrowser.organizationPath + path).status == .notFound)
            }
            for path in ["/sync", "/disconnect"] {
                let answer = try await browser.submit(TestBrowser.organizationPath + path, on: "/practice")
                #expect(answer.status == .notFound)
            }
        }
    }

    @Test("administrators of the school see all of it; the same id in another organization sees nothing")
    func administrators() async throws {
        try await withSchool { browser in
            try await browser.signIn(Visitor.staff)
            #expect(try await browser.get("/").body.contains("2 classes, 6 people"))
            #expect(try await browser.get(TestBrowser.organizationPath).body.contains("Algebra"))
            #expect(try await browser.get(Self.otherClassPath).status == .ok)

            let stranger = browser.otherBrowser()
            for id in ["a1", "t1"] {
                try await stranger.signIn(Visitor(id: id, organizationID: "org/2"))
                #expect(try await stranger.get("/").body.contains("is not connected to Quizzler yet"))
                for path in [TestBrowser.organizationPath, Self.classPath] {
                    #expect(try await stranger.get(path).status == .notFound)
                }
            }
        }
    }

    @Test("who has connected a school sees it in the same browser, for a day, until somebody signs in or out there")
    func connectingBrowser() async throws {
        try await withSchool { stranger in
            let home = try await stranger.get("/").body
            let page = try await stranger.get(TestBrowser.organizationPath)
            #expect(!home.contains("Maple") && page.status == .forbidden)
        }
        try await TestBrowser.with { browser in
            try await browser.connect()
            #expect(try await browser.get(TestBrowser.organizationPath).status == .ok)
            try await browser.signIn(Visitor.parent)
            #expect(try await browser.get(TestBrowser.organizationPath).status == .notFound)
            _ = try await browser.post("/sign-in/out", "")
            #expect(try await browser.get(TestBrowser.organizationPath).status == .forbidden)
        }
        try await TestBrowser.with { browser in
            try await browser.connect()
            browser.clock.advance(by: 86_400 - 1)
            #expect(try await browser.get(TestBrowser.organizationPath).status == .ok)
            browser.clock.advance(by: 1)
            #expect(try await browser.get(TestBrowser.organizationPath).status == .forbidden)
        }
    }

    @Test("a page that is about people asks who is there, and sign-in leads back to it")
    func returning() async throws {
        try await withSchool { browser in
            let answer = try await browser.get(Self.classPath)
            #expect(answer.status == .forbidden && answer.body.contains("Who is there?"))
            let link = try #require(answer.body.firstMatch(of: #/href="(\/sign-in\?[^"]+)"/#)?.1)
            #expect(try await browser.signIn(Visitor.teacher, at: String(link)).location == Self.classPath)
            #expect(try await browser.get(Self.classPath).status == .ok)
        }
    }

    @Test("a button that leads to Lanyard bears its mark, and no other does (pages 3.12)")
    func mark() async throws {
        try await withSchool { browser in
            for path in ["/", Self.classPath] {
                let page = try await browser.get(path).body
                #expect(page.contains(lanyardMark + "Continue with Lanyard</a>"))
                #expect(page.components(separatedBy: lanyardMark).count == 2)
            }
            #expect(try await !browser.get("/nowhere").body.contains(lanyardMark))
        }
    }

    @Test("people of a school that is not connected, or does not know them, are greeted and told")
    func notConnected() async throws {
        try await TestBrowser.with { browser in
            try await browser.signIn(Visitor.teacher)
            let page = try await browser.get("/").body
            #expect(page.contains("Hello, \u{2068}Ana\u{2069}") && page.contains("is not connected to Quizzler yet"))
            let connecting = browser.otherBrowser()
            try await connecting.connect()
            let newcomer = browser.otherBrowser()
            try await newcomer.signIn(Visitor(id: "new", organizationID: "org/1"))
            #expect(try await newcomer.get("/").body.contains("has not found you"))
            #expect(try await browser.get("/").body.contains("Earth Science"))
        }
    }

    @Test("the name that comes once is there again at the next sign-in; signing out ends the session")
    func nameAndSignOut() async throws {
        try await TestBrowser.with { browser in
            try await browser.signIn(Visitor.parent)
            #expect(try await browser.post("/sign-in/out", "").status == .seeOther)
            #expect(try await browser.get("/").body.contains("Continue with Lanyard"))
            var again = Visitor.parent
            again.user = nil
            try await browser.signIn(again)
            #expect(try await browser.get("/").body.contains("Maria Ruiz"))
        }
    }

    @Test("a sign-in that is not this browser's own signs nobody in, and says so on a page")
    func foreignAnswer() async throws {
        try await TestBrowser.with { browser in
            let answer = try await browser.post("/sign-in/callback", "code=good&state=x&reposted=1")
            #expect(answer.status == .badRequest && answer.body.contains("You are not signed in"))
        }
    }

    @Test("the practice quiz is for who has signed in, and keeps the best score")
    func practice() async throws {
        try await TestBrowser.with { browser in
            #expect(try await browser.get("/practice").location == "/sign-in?return_to=%2Fpractice")
            try await browser.signIn(Visitor.parent)
            let page = try await browser.get("/practice").body
            let token = try #require(page.firstMatch(of: #/name="csrf" value="([0-9a-f]+)"/#)?.1)
            for (answers, heading) in [("q0=1&q1=3&q2=9", "2 of 3 are right"), ("q0=x", "0 of 3 are right")] {
                #expect(try await browser.post("/practice", "csrf=\(token)&\(answers)").body.contains(heading))
            }
            #expect(try await browser.post("/practice", "q0=1").status == .forbidden)
            #expect(try await browser.get("/").body.contains("Your best so far: 2 of 3."))
        }
    }

    @Test(
        "who stops using Quizzler, or deletes the account, is signed out, and what was kept is gone",
        arguments: ["consent-revoked", "account-delete"])
    func stopped(type: String) async throws {
        try await TestBrowser.with { browser in
            try await browser.signIn(Visitor.parent)
            let bystander = browser.otherBrowser()
            try await bystander.signIn(Visitor.teacher)
            browser.clock.advance(by: 60)
            let notification = try await browser.service.notification(type, of: "p1", id: "j1", at: browser.clock.now)
            #expect(try await bystander.post("/sign-in/notifications", notification).status == .ok)
            #expect(try await browser.get("/").body.contains("Continue with Lanyard"))
            #expect(try await bystander.get("/").body.contains("Ana Ruiz"))
            let stored = try String(
                contentsOf: browser.file.deletingLastPathComponent().appendingPathComponent("people.json"),
                encoding: .utf8)
            #expect(!stored.contains("Maria") && stored.contains("Ana"))

            browser.clock.advance(by: 60)
            try await browser.signIn(Visitor.parent)
            #expect(try await bystander.post("/sign-in/notifications", notification).status == .ok)
            #expect(try await browser.get("/").body.contains("Maria Ruiz"))
        }
    }

    @Test("the account outlives a restart, and so does its end; late news spare who has come back")
    func people() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("people-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func person(at seconds: TimeInterval) -> SignedInPerson {
            SignedInPerson(id: "p1", account: .personal, signedInAt: Date(timeIntervalSince1970: seconds))
        }
        let people = try PeopleStore(folder: folder)
        try await people.keep(PersonName(givenName: "Maria"), ofPerson: "p1")
        try await people.welcome(person(at: 100.5))
        let restarted = try PeopleStore(folder: folder)
        #expect(await restarted.knows(person(at: 100.5)))
        #expect(await restarted.name(ofPerson: "p1")?.givenName == "Maria")

        try await restarted.welcome(person(at: 300))
        try await restarted.end("p1", at: Date(timeIntervalSince1970: 200))
        #expect(await !restarted.knows(person(at: 100.5)))
        #expect(await restarted.knows(person(at: 300)))
        // Whole seconds: it was in the same one, and after.
        try await restarted.welcome(person(at: 400.5))
        try await restarted.end("p1", at: Date(timeIntervalSince1970: 400))
        #expect(await (try PeopleStore(folder: folder)).accounts.isEmpty)
    }

    @Test("the secret of the sessions is made once, for the owner alone")
    func secret() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("secret-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let secret = try SessionSecret.load(from: folder)
        #expect(secret.count == 32)
        #expect(try SessionSecret.load(from: folder) == secret)
        let file = folder.appendingPathComponent("session.secret").path
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    }
}
