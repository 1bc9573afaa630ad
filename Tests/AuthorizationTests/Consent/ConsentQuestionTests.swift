import Authorization
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct ConsentQuestionTests {
    private func ask(_ server: AuthorizationServer, _ person: Person, scope: String = "edu.users.read edu.classes.read")
        async throws -> ConsentQuestion
    {
        _ = try await server.school.signIn(person)
        return try await server.question(try await server.park(["scope": scope]), of: person)
    }

    @Test("only administrators and site managers may decide", arguments: TestDatabase.available)
    func roles(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            for role in Role.allCases {
                let person = try await server.school.insertPerson("p-\(role.rawValue)", role)
                let question = try await ask(server, person)
                switch question {
                case .ask(let ask):
                    #expect(role == .administrator || role == .siteManager)
                    #expect(ask.roles == [role])
                case .notEntitled: #expect(role != .administrator && role != .siteManager)
                case .notAllowed: Issue.record("\(role)")
                }
            }
            let nobody = try await ask(server, try await server.school.insertPerson("nobody"))
            #expect(nobody.isNotEntitled)
        }
    }

    @Test(
        "a role at one of several schools does not decide for all of them",
        arguments: TestDatabase.available)
    func places(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let annex = try await server.school.insertLocation("Annex")
            for role in [Role.administrator, .siteManager] {
                let person = try await server.school.insertPerson("one-\(role.rawValue)", role)
                guard case .notEntitled(let refused) = try await ask(server, person) else {
                    Issue.record("\(role)")
                    continue
                }
                #expect(refused.places == ["Maple District Main"])
                #expect(refused.contacts.map(\.name) == (role == .administrator ? [] : ["one-administrator Okoye"]))
                // A role at each of the schools counts as a role for all.
                try await server.school.assign(.siteManager, at: annex.id, to: person)
                let everywhere = try await ask(server, person)
                #expect(everywhere.isAsk)
                // A school that is added later needs the role too.
                let later = try await server.school.insertLocation("Later")
                let afterwards = try await ask(server, person)
                #expect(afterwards.isNotEntitled)
                try await server.school.assign(role, at: nil, to: person)
                let overall = try await ask(server, person)
                #expect(overall.isAsk)
                try await database.write {
                    _ = try $0.execute("UPDATE location SET archived_at = 1 WHERE id = $1", [later.id])
                }
            }
        }
    }

    @Test(
        "who is sent to somebody about an app is sent to who decides for the organization",
        arguments: TestDatabase.available)
    func contacts(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let annex = try await server.school.insertLocation("Annex")
            let manager = try await server.school.insertPerson("manager", .peopleManager)
            let organization = server.school.organization.id
            func names() async throws -> [String] {
                try await database.read {
                    try Organization.contacts(for: .signIn, of: organization, at: FixedSurroundings.start, in: $0).map(
                        \.name)
                }
            }
            let before = try await names()
            #expect(!before.contains(manager.fullName))
            try await server.school.assign(.peopleManager, at: annex.id, to: manager)
            #expect(try await names().contains(manager.fullName))
        }
    }

    @Test(
        "a role at a place that is gone decides for nothing, and nobody is sent to who holds it",
        arguments: TestDatabase.available)
    func placesThatAreGone(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let manager = try await server.school.insertPerson("manager", .siteManager)
            let teacher = try await server.school.insertPerson("teacher", .instructor)
            try await database.write { _ = try $0.execute("UPDATE location SET archived_at = 1") }
            for person in [manager, teacher] {
                guard case .notEntitled(let refused) = try await ask(server, person) else {
                    Issue.record("\(person.userName)")
                    continue
                }
                #expect(refused.contacts.isEmpty)
                #expect(refused.places == [])
            }
        }
    }

    @Test("the page can say who asks whom for what", arguments: TestDatabase.available)
    func content(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await server.school.insertPerson("pupil", .student)
            try await server.school.deactivate(try await server.school.insertPerson("gone", .student))
            _ = try await server.school.insertClass("Art")
            try await server.school.assign(.siteManager, at: nil, to: server.administrator)
            guard case .ask(let first) = try await ask(server, server.administrator, scope: "edu.classes.read") else {
                Issue.record("not asked")
                return
            }
            #expect(first.app.id == server.registered.app.id)
            #expect(first.team.id == server.registered.team.id)
            #expect(first.organization == server.school.organization)
            #expect(first.scopes == ScopeSet([.classesRead]))
            #expect(first.existing == nil)
            #expect(first.roles == [.administrator, .siteManager])
            #expect(first.people == 2)
            #expect(first.classes == 1)

            _ = try await server.code(["scope": "edu.classes.read"])
            guard case .ask(let second) = try await ask(server, server.administrator) else {
                Issue.record("not asked")
                return
            }
            #expect(second.existing?.scopes == ScopeSet([.classesRead]))
        }
    }

    @Test(
        "an app that the school has not listed is not allowed, until the school lets all in",
        arguments: TestDatabase.available)
    func unlisted(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            try await server.change(.unlist(server.registered.app.id))
            let unlisted = try await ask(server, server.administrator)
            #expect(unlisted.reason == .appNotListed(ruleVersion: 2))
            try await server.change(.mode(.allowAllApps))
            let all = try await ask(server, server.administrator)
            #expect(all.isAsk)
        }
    }

    @Test("a business has no roster to share", arguments: TestDatabase.available)
    func business(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let business = try await School.insert(in: database, server.fixed, name: "Burgers & Tacos", kind: .business)
            let boss = try await business.insertPerson("boss", .administrator)
            let question = try await ask(server, boss)
            #expect(question.reason == .organizationIsNoSchool)
        }
    }

    @Test(
        "a personal account, and one that was deactivated meanwhile, may decide nothing",
        arguments: TestDatabase.available)
    func notEntitled(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let developer = try await server.insertDeveloper()
            let question = try await ask(server, developer)
            #expect(question.isNotEntitled)

            let manager = try await server.school.insertPerson("manager", .siteManager)
            let before = try await ask(server, manager)
            #expect(before.isAsk)
            try await server.school.deactivate(manager)
            let after = try await server.question(try await server.park(), of: manager)
            #expect(after.isNotEntitled)
        }
    }

    @Test("the test scope is for members of the team, whoever else they are", arguments: TestDatabase.available)
    func testScope(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (developer, team) = (try await server.insertDeveloper(), server.registered.team)
            let scope = "edu.rosterapi.test.read"
            try await database.write { try team.add(member: developer.id, in: $0) }
            let withoutSchool = try await ask(server, developer, scope: scope)
            #expect(withoutSchool.isNotEntitled)

            let synthetic = try await School.insert(in: database, server.fixed, name: "Test School", isSynthetic: true)
            let member = try await ask(server, developer, scope: scope)
            guard case .ask(let asked) = member else {
                Issue.record("not asked")
                return
            }
            #expect(asked.organization == synthetic.organization)
            #expect(asked.roles == [])
            let administrator = try await ask(server, server.administrator, scope: scope)
            #expect(administrator.isNotEntitled)
            // And a member of a team may not decide for a real school.
            let real = try await ask(server, developer)
            #expect(real.isNotEntitled)
        }
    }
}

extension ConsentQuestion {
    var isAsk: Bool { if case .ask = self { true } else { false } }
    var isNotEntitled: Bool { if case .notEntitled = self { true } else { false } }
    var reason: DataSharingAccess.Reason? { if case .notAllowed(_, _, let reason) = self { reason } else { nil } }
}

extension AuthorizationServer {
    func insertDeveloper() async throws -> Person {
        let now = fixed.now
        let developer = try await database.write { transaction in
            try Person.insert(
                in: nil, givenName: "Dev", familyName: "Eloper", userName: "dev@quizzler.example", at: now,
                in: transaction)
        }
        _ = try await school.signIn(developer)
        return developer
    }
}
