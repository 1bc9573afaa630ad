import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// What is found in the console, by whom.
@Suite struct ConsoleSearchTests {
    @Test("pages of an organization with 5 000 locations stay light, and each location is found by its name")
    func locations() async throws {
        try await TestServer.with { server in
            let (organization, now) = (server.maple.organization.id, server.fixed.now)
            try await server.database.write { transaction in
                for number in 1...5_000 {
                    _ = try Location.insert(
                        in: organization, name: "Elementary School \(number) of the North", at: now, in: transaction)
                }
            }
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            for page in ["", "/locations", "/people", "/people/add", "/people/passwords", "/classes", "/activity"] {
                let answer = try await visitor.browser.get("/manager\(page)")
                #expect(answer.status == 200 && answer.body.utf8.count < 100_000, "\(page) \(answer.body.utf8.count)")
            }
            let found = try await visitor.browser.get("/manager/locations?text=school%204711%20OF")
            #expect(Set(found.body.matches(of: /School \d+ of/).map { String($0.0) }) == ["School 4711 of"])
            let none = try await visitor.browser.get("/manager/locations?text=southern")
            #expect(none.body.contains("No location matches.") && none.body.contains("Show all locations"))
            let next = try await visitor.browser.get("/manager/locations?text=north")
            #expect(next.body.contains("?text=north&amp;after="))
        }
    }

    /// The paths of what is found.
    private static func paths(_ text: String, by visitor: ConsoleVisitor) async throws -> [String] {
        let answer = try await visitor.browser.get("/manager/find?text=\(text)")
        #expect(answer.status == 200, "\(visitor.person.userName) \(answer.line)")
        let found = try JSONDecoder().decode([[String: String]].self, from: Data(answer.body.utf8))
        return found.compactMap { $0["path"] }
    }

    @Test("people, classes, locations and apps are found by whoever may read each of them, and nothing else is")
    func everything() async throws {
        try await TestServer.with { server in
            _ = try await server.connect()
            let science = "/manager/classes/CL-\(server.maple.science.rawValue)"
            let high = "/manager/locations/\(server.maple.high.id.rawValue)"
            let app = "/manager/apps/\(server.scene.quizzler.app.id.rawValue)"
            let administrator = try await ConsoleVisitor(.administrator, of: server)
            for role in [Role.administrator, .siteManager, .peopleManager, .manager, .instructor] {
                let visitor = role == .administrator ? administrator : try await ConsoleVisitor(role, of: server)
                let mayShare = role == .administrator || role == .siteManager
                #expect(try await Self.paths("QUIZZ", by: visitor) == (mayShare ? [app] : []), "\(role)")
                #expect(try await Self.paths("earth%20sc", by: visitor) == [science], "\(role)")
                let mayEditPlaces = mayShare || role == .peopleManager
                #expect(try await Self.paths("school%20high", by: visitor) == (mayEditPlaces ? [high] : []), "\(role)")
            }
            #expect(
                try await Self.paths("nadia", by: administrator)
                    == ["/manager/people/PE-\(server.maple.nadia.id.rawValue)"])
            try await server.database.write {
                try $0.execute("UPDATE organization SET kind = 'business' WHERE name = 'Maple District'")
            }
            for text in ["quizz", "earth"] { #expect(try await Self.paths(text, by: administrator) == []) }
        }
    }

    @Test(
        "more words than a search takes are answered with a sentence in the reader's language", arguments: ["en", "ko"])
    func tooMuch(_ language: String) async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let text = (1...17).map { "na\($0)" }.joined(separator: "%20")
            for path in ["find", "people", "classes", "locations"] {
                let answer = try await visitor.browser.get(
                    "/manager/\(path)?text=\(text)", ["Accept-Language": language])
                #expect(answer.status == 422, "\(path)")
                #expect(
                    answer.body.contains(language == "en" ? "A search takes 16 words at most" : "한 번에 16단어까지"),
                    "\(path)")
                #expect(!answer.body.contains("Nothing was changed"))
            }
        }
    }
}
