import Administration
import Directory
import Foundation
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// Passwords that are given on the console: for one person, and for many.
@Suite struct ConsolePasswordsTests {
    /// The page of the job, once it has ended.
    private func ended(_ path: String, _ visitor: ConsoleVisitor) async throws -> Answer {
        for _ in 0..<2_000 {
            let page = try await visitor.browser.get(path)
            guard page.body.contains("http-equiv=\"refresh\"") else { return page }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw APIUser.NeverEnded()
    }

    private func hashes(_ server: TestServer) async throws -> [String] {
        try await server.database.read {
            try $0.all("SELECT password_hash FROM credential ORDER BY person_id", []) { try $0[0] as String }
        }
    }

    @Test(
        "a class gets passwords in the background; they are in the file, in no page, and gone when they are deleted",
        arguments: TestDatabase.available)
    func many(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let query = "class=CL-\(server.maple.science.rawValue)&role=student&who=all"
            let look = try await visitor.browser.get("/manager/people/passwords?look=yes&\(query)")
            #expect(look.status == 200 && look.body.contains("Nadia Okoye"), "\(look.line)")
            let before = try await hashes(server)
            let begun = try await visitor.post(
                "/manager/people/passwords",
                ["class": "CL-\(server.maple.science.rawValue)", "role": "student", "who": "all", "confirmed": "yes"])
            #expect(begun.status == 303 && begun.location.hasPrefix("/manager/people/passwords/"), "\(begun.line)")
            let page = try await ended(begun.location, visitor)
            #expect(try await hashes(server) != before)
            let list = try await visitor.browser.get("/manager/people/passwords")
            #expect(list.body.contains(begun.location))

            let table = try await visitor.post("\(begun.location)/file", ["file": "csv"])
            #expect(table["Content-Disposition"] == "attachment; filename=\"passwords.csv\"")
            #expect(table["Cache-Control"] == "no-store")
            let rows = table.body.split(whereSeparator: \.isNewline).dropFirst()
            #expect(rows.count == server.maple.students.count, "\(table.body)")
            for row in rows {
                let password = try #require(row.split(separator: ",").last)
                for shown in [page, list] { #expect(!shown.body.contains(password)) }
            }
            for file in ["slips", "large"] {
                let slips = try await visitor.post("\(begun.location)/file", ["file": file, "language": "ko"])
                #expect(slips.status == 200 && slips["Content-Type"] == "application/pdf")
                #expect(slips.body.hasPrefix("%PDF"))
            }

            let other = try await ConsoleVisitor(.siteManager, of: server)
            #expect(try await other.browser.get(begun.location).status == 404)
            #expect(try await other.post("\(begun.location)/file", ["file": "csv"]).status == 404)
            #expect(try await other.post("\(begun.location)/delete").status == 404)

            #expect(try await visitor.post("\(begun.location)/delete").status == 303)
            #expect(try await visitor.post("\(begun.location)/file", ["file": "csv"]).status == 303)
            let list2 = try await visitor.browser.get("/manager/people/passwords")
            #expect(!list2.body.contains(begun.location))
        }
    }

    @Test(
        "members of staff get theirs by mail, which is neither on the page nor in a file; the page says who gets none",
        arguments: TestDatabase.available)
    func letters(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind) { server in
            let (maple, visitor) = (server.maple, try await ConsoleVisitor(.administrator, of: server))
            // Teaches with Tara, and has no address.
            try await server.database.write {
                try $0.execute(
                    "INSERT INTO class_instructor (class_id, person_id, position) VALUES ($1, $2, 8)",
                    [maple.science, maple.siteManager.id])
            }
            let form = try await visitor.browser.get("/manager/people/passwords")
            #expect(form.body.contains("Staff by email, everybody else on paper"))
            let before = try await hashes(server)
            let fields = ["class": "CL-\(maple.science.rawValue)", "who": "all", "how": "letters"]
            let query = fields.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
            let look = try await visitor.browser.get("/manager/people/passwords?look=yes&\(query)")
            #expect(look.status == 200 && look.body.contains("1 person gets it by email."), "\(look.line)")
            #expect(look.body.contains("Password sent by email") && look.body.contains("Password given"))
            #expect(try await server.mails().isEmpty)
            #expect(try await hashes(server) == before)

            let begun = try await visitor.post(
                "/manager/people/passwords", fields.merging(["confirmed": "yes"]) { own, _ in own })
            #expect(begun.status == 303, "\(begun.line)")
            let page = try await ended(begun.location, visitor)
            #expect(page.body.contains("Tara Teacher") && page.body.contains("Sam Site"))
            #expect(page.body.contains("There is no email address."))
            #expect(page.body.contains("\(maple.students.count) pupils are in the file"))
            // Nadia is a pupil: she is told, at her verified address, that her password was replaced, and gets none by mail.
            let all = try await server.mails()
            #expect(Set(all.map(\.recipient)) == ["tara.teacher@maple.example", "nadia.okoye@maple.example"])
            let mails = all.filter { $0.text.contains("Temporary password") }
            #expect(mails.map(\.recipient) == ["tara.teacher@maple.example"])
            let password = try #require(mails.first?.text.firstMatch(of: /Temporary password: (\S+)/)).1
            let table = try await visitor.post("\(begun.location)/file", ["file": "csv"])
            #expect(table.body.contains(maple.siteManager.userName))
            #expect(!table.body.contains(maple.teacher.userName))
            for shown in [page, table] { #expect(!shown.body.contains(password)) }
            let teacher = server.browser()
            let entered = try await server.signIn(maple.teacher.userName, password: String(password), in: teacher)
            #expect(entered.location.hasPrefix("/change-password"), "\(entered.line)")
        }
    }

    @Test("letters are offered neither where the server sends no mail nor to teachers, and refused without mail")
    func noLetters() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let form = try await visitor.browser.get("/manager/people/passwords")
            #expect(form.status == 200 && !form.body.contains("value=\"letters\""))
            let before = try await hashes(server)
            let look = try await visitor.browser.get("/manager/people/passwords?look=yes&role=staff&how=letters")
            #expect(look.status == 422 && look.body.contains("sends no mail"), "\(look.line)")
            let sent = try await visitor.post("/manager/people/passwords", ["role": "instructor", "how": "letters"])
            #expect(sent.status == 422 && sent.body.contains("sends no mail"), "\(sent.line)")
            #expect(try await server.count("administration_job") == 0)
            #expect(try await hashes(server) == before)
        }
        try await TestServer.withMail { server in
            let teacher = try await ConsoleVisitor(.instructor, of: server)
            let form = try await teacher.browser.get("/manager/people/passwords")
            #expect(form.status == 200 && !form.body.contains("value=\"letters\""))
        }
        // Nobody writes to the made-up people of a sandbox.
        try await TestServer.withMail { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            func form() async throws -> Answer { try await visitor.browser.get("/manager/people/passwords") }
            #expect(try await form().body.contains("value=\"letters\""))
            try await server.database.write {
                try $0.execute(
                    "UPDATE organization SET sandbox_domain = 'maple.test' WHERE id = $1",
                    [server.maple.organization.id])
            }
            let inSandbox = try await form()
            #expect(inSandbox.status == 200 && !inSandbox.body.contains("value=\"letters\""))
        }
    }

    @Test("a job that has failed is listed with the reason")
    func failedJob() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let begun = try await visitor.post("/manager/people/passwords", ["role": "student", "who": "all"])
            _ = try await ended(begun.location, visitor)
            let failure = OperationFailure(.unavailable, "It was begun 5 times and ended by no answer.")
            let text = String(decoding: try JSONEncoder.administration.encode(failure), as: UTF8.self)
            try await server.database.write {
                try $0.execute("UPDATE administration_job SET reply = NULL, failure = $1", [text])
            }
            let list = try await visitor.browser.get("/manager/people/passwords")
            #expect(list.body.contains(begun.location) && list.body.contains(failure.detail), "\(list.line)")
        }
    }

    @Test("passwords of the whole organization are not replaced at once, by the page or by its form")
    func everybody() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let before = try await hashes(server)
            #expect(try await visitor.browser.get("/manager/people/passwords?look=yes&who=all").status == 422)
            #expect(try await visitor.post("/manager/people/passwords", ["who": "all"]).status == 422)
            let unknown = try await visitor.browser.get("/manager/people/passwords?look=yes&class=Alchemy")
            #expect(unknown.status == 422 && unknown.body.contains("Alchemy"))
            #expect(try await server.count("administration_job") == 0)
            #expect(try await hashes(server) == before)
        }
    }

    @Test("one password is in the answer to the form alone, and signs the pupil in")
    func one() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.instructor, of: server)
            let path = "/manager/people/PE-\(server.maple.nadia.id.rawValue)/password"
            #expect(try await visitor.browser.get(path).status == 200)
            let given = try await visitor.post(path)
            let password = try #require(given.body.firstMatch(of: #/<code>([^<]+)</code>/#)).1
            #expect(given.status == 200 && given["Cache-Control"] == "no-store")
            #expect(try await !visitor.browser.get(path).body.contains(password))
            let pupil = server.browser()
            let entered = try await server.signIn(server.maple.nadia.userName, password: String(password), in: pupil)
            #expect(entered.location.hasPrefix("/change-password"), "\(entered.line)")
        }
    }

    @Test("a teacher reaches the pupils of the own classes alone, and no colleague", arguments: ["teacher", "hall"])
    func teacher(_ whom: String) async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.instructor, of: server)
            let before = try await hashes(server)
            let home = try await visitor.browser.get("/manager")
            #expect(home.body.contains("/manager/classes/CL-\(server.maple.science.rawValue)"))
            #expect(!home.body.contains("/manager/imports") && !home.body.contains("Study Hall"))
            let answer =
                whom == "teacher"
                ? try await visitor.post("/manager/people/PE-\(server.maple.teacher.id.rawValue)/password")
                : try await visitor.browser.get("/manager/classes/CL-\(server.maple.hall.rawValue)")
            #expect(answer.status == 403)
            #expect(try await hashes(server) == before)
        }
    }

    @Test("whoever loses the role in mid-work gets nothing more")
    func formerRole() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let begun = try await visitor.post("/manager/people/passwords", ["role": "student", "who": "all"])
            _ = try await ended(begun.location, visitor)
            try await server.database.write {
                try $0.execute("DELETE FROM role_assignment WHERE person_id = $1", [visitor.person.id])
            }
            #expect(try await visitor.browser.get(begun.location).status == 403)
            #expect(try await visitor.post("\(begun.location)/file", ["file": "csv"]).status == 403)
        }
    }
}
