import Administration
import Authorization
import Directory
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// What the start page of the developer portal offers, and who is led there from the account page.
@Suite struct PortalStartTests {
    private enum Visitor: CaseIterable {
        case personal, teacher, pupil
        /// A member of teams.
        case member

        func person(_ server: TestServer) async throws -> Person {
            switch self {
            case .personal: return try await server.addPersonal()
            case .teacher: return server.maple.teacher
            case .pupil: return server.maple.nadia
            case .member:
                let person = try await server.addPersonal(
                    "Dana", email: "dana@home.example", userName: "dana@home.example")
                try await server.database.write {
                    try $0.execute("INSERT INTO team_member (team_id, person_id) SELECT id, $1 FROM team", [person.id])
                }
                return person
            }
        }

        func mayFound(under founding: DeveloperRules.Founding) -> Bool {
            switch founding {
            case .nobody: false
            case .invited: self == .member
            case .anyone: self != .pupil
            }
        }
    }

    @Test(
        "a team is begun and joined only by whom the server lets, and nobody else is sent there",
        arguments: DeveloperRules.Founding.allCases)
    func ways(_ founding: DeveloperRules.Founding) async throws {
        try await TestServer.with(configure: { $0.teamsMadeBy = founding }) { server in
            for visitor in Visitor.allCases {
                let browser = server.browser()
                try await server.signIn(try await visitor.person(server).userName, in: browser)
                let start = try await browser.get("/developer")
                #expect(start.status == 200 && start.heading == "Developer portal", "\(visitor)")
                let (founds, joins) = (visitor.mayFound(under: founding), visitor != .pupil)
                for (entry, isOpen) in ["found": founds, "join": joins] {
                    #expect(start.body.contains(#"href="/developer/\#(entry)""#) == isOpen, "\(visitor) \(entry)")
                    let page = try await browser.get("/developer/\(entry)")
                    #expect(page.status == (isOpen ? 200 : 403), "\(visitor) \(entry) \(page.status)")
                }
                let account = try await browser.get("/account")
                #expect(account.heading == "Your account")
                #expect(
                    account.body.contains(#"href="/developer""#) == (founds || visitor == .member), "\(visitor)")
            }
        }
    }
}
