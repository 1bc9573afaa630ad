import Administration
import Directory
import Testing

@testable import ServerHTTP
@testable import TestServers

/// What is said before the apps of an organization are restricted.
@Suite struct ConsoleAccessTests {
    @Test(
        "whoever allows only certain apps reads how many people that concerns, also where nobody loses anything",
        arguments: [
            ("sign-in", "This concerns {} people."), ("data-sharing", "This concerns the data of {} people."),
        ])
    func people(_ topic: String, _ words: String) async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let path = "/manager/access/\(topic)/mode"
            #expect(try await visitor.post(path, ["mode": "all", "confirmed": "yes"]).status == 303)
            let people = try await APIUser.operator(of: server).ask(
                ShowOrganization(), in: .named(server.maple.organization.publicID)
            ).people
            #expect(people > 1)
            let asked = try await visitor.post(path, ["mode": "listed"])
            #expect(asked.status == 200 && asked.heading == "Allow only certain apps")
            #expect(asked.body.contains(words.replacing("{}", with: "\(people)")), "\(asked.line)")
        }
    }
}
