import Directory
import Storage
import TestSupport
import Testing

@testable import ServerHTTP

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

    @Test("so does the list of the pupils of a class")
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
