import Directory
import Fixtures
import NIOHTTP1
import TestSupport
import Testing

@testable import Administration
@testable import ServerHTTP
@testable import TestServers

/// The log is read by whoever runs the server, who need not know a school's children.
@Suite struct NamesInLogTests {
    private static func text(of server: TestServer) -> String {
        server.log.lines.map { "\($0.message) \($0.metadata)" }.joined(separator: "\n")
    }

    @Test("what the API refuses is logged by its kind, without names of people")
    func api() async throws {
        try await APIUser.with { user in
            let nadia = user.server.maple.nadia
            let path = "people/PE-\(nadia.id.rawValue)"
            _ = try await user.send(.POST, path + "/deactivate")
            let again = try await user.send(.POST, path + "/deactivate")
            #expect(again.body.contains(nadia.familyName), "\(again.line)")
            _ = try await user.send(.GET, "people/Zwingenberger")
            _ = try await user.send(.GET, "people/zoe.zwingenberger%40maple.example")
            _ = try await user.send(.POST, path + "/edit", json: #"{"firstName": "\u0007Zwingenberger"}"#)
            let reasons = user.server.log.lines.filter { $0.message == "refused" }.compactMap { $0.metadata["reason"] }
            #expect(reasons.contains { $0.hasPrefix("refused") } && reasons.contains("not-found, person"))
            let log = Self.text(of: user.server)
            for name in [nadia.familyName, nadia.userName, "wingenberger"] { #expect(!log.contains(name), "\(name)") }
            #expect(log.contains("/people/PE-\(nadia.id.rawValue)/deactivate") && log.contains("/people/…"))
        }
    }

    @Test("what the console refuses is logged by its kind, without names of people")
    func console() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let nadia = server.maple.nadia
            let page = "/manager/people/PE-\(nadia.id.rawValue)/deactivate"
            _ = try await visitor.post(page, ["confirmed": "yes"])
            _ = try await visitor.browser.get(page)
            _ = try await visitor.browser.get("/manager/people/PE-999999")
            let reasons = server.log.lines.filter { $0.message == "refused" }.compactMap { $0.metadata["reason"] }
            #expect(reasons.contains("not-found, person"), "\(reasons)")
            let log = Self.text(of: server)
            #expect(!log.contains(nadia.familyName) && !log.contains(nadia.userName))
        }
    }

    @Test("a reason says what was wrong, and no word that somebody has typed")
    func reasons() {
        var failure = OperationFailure(OperationError.notFound(.person, "Anna", in: "Maple"))
        #expect(failure?.reasonForLog == "not-found, person")
        failure = OperationFailure(OperationError.invalid(field: "last name", reason: "“Maier” is too long"))
        #expect(failure?.reasonForLog == "invalid, last name")
        failure = OperationFailure(
            OperationError.refused("Anna is deactivated.", remedy: .init(ReactivatePerson.name, "anna@maple.example")))
        #expect(failure?.reasonForLog == "refused, person.reactivate would help")
        failure = OperationFailure(OperationError.items([3: OperationFailure(.refused, "Anna")]))
        #expect(failure?.reasonForLog == "items, 1 items")
    }
}
