import Administration
import Authorization
import ConsolePages
import Directory
import Fixtures
import Foundation
import Hummingbird
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// Who may open which page and send which form of the developer portal: a member of the team, and nobody else.
@Suite struct PortalGridTests {
    private static let team = "/developer/teams/{team}"
    private static let app = "\(team)/apps/{app}"

    /// What the forms have filled in. Those that are not here have nothing to fill in.
    private static let fields: [String: [String: String]] = [
        "/developer/undo": ["changes": "999999"],
        "/developer/found": ["name": "Another"], "/developer/join": ["code": "none"],
        "\(team)/apps/add": [
            "name": "Second", "clientIDs": "com.quizzler.second", "scopes": "edu.users.read", "confirmed": "yes",
        ],
        "\(app)/edit": ["name": "Renamed", "clientIDs": "{app}", "scopes": "edu.users.read", "confirmed": "yes"],
        "\(app)/notifications": ["notification": "none"],
        "\(app)/clients/{client}": ["authentication": "none", "signingAlgorithm": "ES256"],
        "\(app)/offer": ["team": "{rival}"],
        "\(team)/members/rename": ["name": "Renamed"],
        "\(team)/senders": ["sender": "news@quizzler.example"],
        "\(team)/senders/remove": ["sender": "news@quizzler.example"],
    ]

    /// Everybody may open these who may develop at all. To the last one an answer comes by a form of the server itself, which is
    /// read from its query again.
    private static let ofNoTeam: Set = [
        "/developer", "/developer/undo", "/developer/found", "/developer/join", "/developer/return",
    ]

    private enum Stranger: CaseIterable {
        /// A member of the other team.
        case rival
        /// Somebody with a personal account, who is in no team.
        case personal
        /// An Administrator of a school that lets the app sign people in.
        case administrator
        case teacher, pupil
    }

    @Test("whoever is not in the team is refused all of it, by whatever address, and changes nothing")
    func strangers() async throws {
        try await TestServer.with { server in
            let routes = try server.portalRoutes.filter { !Self.ofNoTeam.contains($0.path) }
            #expect(routes.count > 40)
            for stranger in Stranger.allCases {
                let browser = server.browser()
                try await server.signIn(try await Self.userName(of: stranger, server), in: browser)
                let token = try await browser.get("/account").form("/language")?.fields["csrf_token"] ?? ""
                let before = try await server.everything()
                // The team's own address, and that of another team, which for one of them is their own.
                for team in [server.quizzler.team, server.rival.team] {
                    for (isPage, route) in routes
                    where team.id == server.quizzler.team.id || route.hasPrefix("\(Self.app)/") || route == Self.app {
                        let path = server.filledPortal(route, of: team)
                        let answer =
                            isPage
                            ? try await browser.get(path)
                            : try await browser.post(path, Self.filled(route, token, server))
                        #expect(
                            answer.status == 403, "\(stranger) \(route) \(answer.status) \(answer.location)")
                        #expect(!answer.body.contains("Quizzler Inc"), "\(stranger) \(route)")
                    }
                }
                #expect(try await server.everything() == before, "\(stranger)")
            }
        }
    }

    @Test("whoever is not signed in is sent to sign in from every page, and no form is taken")
    func nobody() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let before = try await server.everything()
            for (isPage, route) in try server.portalRoutes where route != "/developer/return" {
                let path = server.filledPortal(route)
                if isPage {
                    let answer = try await browser.get(path)
                    #expect(answer.status == 303, "\(route) \(answer.status)")
                    #expect(answer.location.hasPrefix("/sign-in"), "\(route) \(answer.location)")
                } else {
                    // Without a session there is no token by which forms are known to be the server's own.
                    let answer = try await browser.post(path, [:])
                    // A file is not read before there is a session.
                    let hasFile = ["/icon", "/keys"].contains(where: route.hasSuffix)
                    #expect(answer.status == (hasFile ? 303 : 400), "\(route) \(answer.status)")
                }
            }
            // In the meantime a new server may index records for searching, and note who has left.
            let after = Set(try await server.everything()).symmetricDifference(before)
            let background = ["person_", "class_search", "class_unindexed", "location_", "departure "]
            #expect(after.filter { row in !background.contains { row.hasPrefix($0) } }.sorted() == [])
        }
    }

    @Test("a member is refused nothing, and each form does something or says what is wrong")
    func member() async throws {
        try await TestServer.with(configure: { $0.teamsMadeBy = .anyone }) { server in
            for (isPage, route) in try server.portalRoutes
            where route != "/developer/return" && (isPage || !Self.takesAway(route)) {
                // Each from the beginning, because many a form takes away what another is about.
                let browser = server.browser()
                try await server.signIn(server.scene.developer.userName, in: browser)
                let token = try await browser.get("/account").form("/language")?.fields["csrf_token"] ?? ""
                let path = server.filledPortal(route)
                let answer =
                    isPage
                    ? try await browser.get(path) : try await browser.post(path, Self.filled(route, token, server))
                // Nobody has offered the app to the team, which has it already.
                let isOffered = !["/accept", "/decline"].contains(where: route.hasSuffix)
                #expect((answer.status == 403) == !isOffered, "\(route) \(answer.status)")
                let expected = isPage ? Self.pages[route] ?? 200 : Self.forms[route] ?? 303
                #expect(answer.status == expected, "\(isPage) \(route) \(answer.line)")
            }
        }
    }

    /// What pages answer other than 200: some are about an offer, a second identifier, a second member or a request on
    /// trial that there is not, and the start page leads on to the only team.
    private static let pages = [
        "/developer": 303, "\(app)/accept": 403, "\(app)/decline": 403, "\(app)/withdraw": 422,
        "\(app)/clients/{client}/remove": 422, "\(app)/try/request": 404, "\(team)/members/{person}/remove": 422,
    ]
    /// What forms answer other than 303: some show a secret once, and those with nothing right filled in say so.
    private static let forms = [
        "\(app)/clients/{client}/secret": 200, "\(team)/members/invite": 200, "\(team)/sandbox": 200,
        "\(team)/sandbox/password": 200, "/developer/undo": 200, "/developer/join": 422, "\(app)/icon": 422,
        "\(app)/withdraw": 422, "\(team)/keys": 422, "\(app)/notifications": 404, "\(app)/accept": 403,
        "\(app)/decline": 403,
    ]

    /// Whether the form takes away what later ones need.
    private static func takesAway(_ route: String) -> Bool {
        ["/remove", "/revoke", "/offer"].contains(where: route.hasSuffix)
    }

    private static func filled(_ route: String, _ token: String, _ server: TestServer) -> [String: String] {
        (fields[route] ?? [:]).mapValues { server.filledPortal($0) }.merging(["csrf_token": token]) { own, _ in own }
    }

    private static func userName(of stranger: Stranger, _ server: TestServer) async throws -> String {
        switch stranger {
        case .rival:
            let person = try await server.addPersonal(
                "Riva", email: "riva@rival.example", userName: "riva@rival.example")
            try await server.database.write { try server.rival.team.add(member: person.id, in: $0) }
            return person.userName
        case .personal: return try await server.addPersonal().userName
        case .administrator: return server.maple.administrator.userName
        case .teacher: return server.maple.teacher.userName
        case .pupil: return server.maple.nadia.userName
        }
    }
}

extension TestServer {
    /// All routes of the developer portal, with the names of their parameters in braces.
    var portalRoutes: [(isPage: Bool, path: String)] {
        get throws {
            let router = Router(context: AppContext.self)
            PortalRoutes(
                door: PortalDoor(desks: try desks), baseURL: TestServer.baseURL, issuer: TestServer.baseURL,
                surroundings: fixed.surroundings
            ).mount(on: router)
            return router.routes.map { ($0.method.rawValue == "GET", "\($0.path)") }
        }
    }

    /// A route, or a field of a form, with ids of Quizzler in place of the names of parameters.
    /// - Parameter team: the team in the path; nil for Quizzler's own.
    func filledPortal(_ text: String, of team: Team? = nil) -> String {
        let app = scene.quizzler
        return [
            "{team}": (team ?? app.team).publicID, "{app}": app.clientID, "{client}": app.clientID, "{key}": app.keyID,
            "{rival}": scene.rival.team.publicID, "{person}": scene.developer.userName,
        ].reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
    }
}
