import Directory
import Fixtures
import Ground
import Storage
import TestSupport
import Testing

@testable import Authorization

/// What is explained is what apps meet.
@Suite struct AccessExplanationTests {
    private struct Scene {
        let server: AuthorizationServer
        let roster: RosterService
        let people: [Person]
        let classID: ClassID
        /// That of the last connection, which may not count any more.
        var token = "none"

        init(_ database: any Database) async throws {
            server = try await AuthorizationServer(database: database)
            roster = RosterService(
                database: database, keys: server.keys, teamIdentifiers: server.teamIdentifiers,
                rate: .init(burst: 100_000, perSecond: 1), now: server.fixed.surroundings.now)
            people = [
                try await server.school.insertPerson("ada", .student, email: "ada@maple.example", grade: "7"),
                try await server.school.insertPerson("ben", .instructor, grade: "7"),
                try await server.school.insertPerson("eve"),
            ]
            classID = try await server.school.insertClass("Art", instructors: [people[1]], students: [people[0]])
        }

        func explain(_ person: Person) async throws -> AccessExplanation {
            let (id, now) = (server.registered.app.id, server.fixed.now)
            return try await server.database.read { transaction in
                try AccessExplanation(
                    of: try #require(try App.find(id, in: transaction)),
                    about: try #require(try Person.find(person.id, in: transaction)), at: now, in: transaction)
            }
        }

        /// Nil if the app may not read the list.
        func read<Record>(_ list: RosterList<Record>) async throws -> [Record]? {
            do {
                return try await roster.page(of: list, RequestParameters([]), bearerToken: token, from: .system).value
                    .records
            } catch is RosterRefusal {
                return nil
            }
        }

        /// One thing that happens in a school.
        mutating func happen(_ number: Int) async throws -> String {
            let (app, organization, now) = (server.registered.app.id, server.school.organization.id, server.fixed.now)
            func rule(_ purpose: AccessRule.Purpose, _ change: AccessRule.Change) async throws {
                try await server.database.write {
                    try AccessRule.apply(
                        change, to: organization, purpose: purpose, by: .operator, from: .commandLine, at: now, in: $0)
                }
            }
            let person = people[Int.random(in: 0..<people.count)]
            switch number {
            case 0:
                try await rule(.dataSharing, .unlist(app))
                return "not listed for data sharing"
            case 1:
                try await rule(.signIn, .mode(.allowOnlyListedApps))
                return "listed apps only for signing in"
            case 2:
                try await rule(.signIn, .mode(.allowAllApps))
                return "all apps for signing in"
            case 3:
                try await server.revokeConsent()
                return "revoked"
            case 4:
                try await server.school.deactivate(person)
                return "\(person.givenName) deactivated"
            case 5:
                try await server.database.write { transaction in
                    _ = try Person.find(person.id, in: transaction)?.reactivate(at: now, in: transaction)
                }
                return "\(person.givenName) reactivated"
            case 6:
                try await rule(.signIn, .list(app))
                return "listed for signing in"
            case 7...10:
                try await rule(.dataSharing, .list(app))
                return "listed for data sharing"
            case 11, 12:
                let rules =
                    [
                        SharingRules.none, SharingRules(grades: ["7"]), SharingRules(roles: [.student]),
                        SharingRules(classes: [classID]), SharingRules(withheld: [.email]),
                        SharingRules(leftOut: [person.id]),
                    ].randomElement()!
                try await server.database.write { try rules.put(for: app, of: organization, at: now, in: $0) }
                return "\(rules)"
            default:
                let scope = ["edu.users.read", "edu.classes.read", "edu.users.read edu.classes.read"].randomElement()!
                guard let code = try await server.allow(try await server.park(["scope": scope])).code else {
                    return "not connected"
                }
                token = try await server.redeem(code).accessToken
                return "connected with \(scope)"
            }
        }
    }

    @Test("whatever a school decides, the explanation is what the app then reads", arguments: TestDatabase.available)
    func roster(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            var scene = try await Scene(database)
            var history: [String] = []
            var seen: Set<String> = []
            for step in 0..<150 {
                history.append(try await scene.happen(step < 2 ? 13 : Int.random(in: 0..<18)))
                let users = try await scene.read(.users)
                let classes = try await scene.read(.classes)
                for person in scene.people {
                    let explanation = try await scene.explain(person)
                    let found = users?.first { $0.id == person.id }
                    let memberships = classes?.filter { ($0.students + $0.instructors).contains(person.id) } ?? []
                    let told = "\(person.givenName) \(explanation) after \(history.suffix(12))"
                    guard case .read(let fields, let count, let scopes) = explanation.roster else {
                        #expect(found == nil && memberships.isEmpty, "\(told)")
                        seen.insert("nothing")
                        continue
                    }
                    #expect(scopes.readsUsers == (users != nil) && scopes.readsClasses == (classes != nil), "\(told)")
                    #expect(fields == found?.fieldsOnTheWire ?? [], "\(told)")
                    #expect(count == memberships.count, "\(told)")
                    seen.insert("\(!fields.isEmpty) \(count)")
                }
            }
            // Otherwise the walk would not have shown anything.
            #expect(seen.isSuperset(of: ["nothing", "true 1", "false 1", "true 0"]), "\(seen)")
        }
    }

    @Test("each state of signing in is told apart")
    func signIn() async throws {
        try await TestDatabase.sqlite.with { database in
            var scene = try await Scene(database)
            let (ada, app, now) = (scene.people[0], scene.server.registered.app.id, scene.server.fixed.now)
            #expect(try await scene.explain(ada).signIn == .possible(ScopeSet([])))
            try await database.write { transaction in
                try transaction.execute("UPDATE app SET scopes = 'email name' WHERE id = $1", [app])
            }
            #expect(try await scene.explain(ada).signIn == .possible(ScopeSet([.name, .email])))
            try await database.write { transaction in
                _ = try SignInConsent.put(
                    app: app, person: ada.id, scopes: ScopeSet([.name]), givenName: nil, familyName: nil,
                    hidesEmail: false, request: SecretHash(of: "x"), at: now, in: transaction)
            }
            #expect(
                try await scene.explain(ada).signIn == .consented(ScopeSet([.name]), hidesEmail: false))
            _ = try await scene.happen(1)
            #expect(try await scene.explain(ada).signIn == .refused(.appNotListed(ruleVersion: 1)))
            #expect(try await scene.explain(ada).roster == .refused(.signInNotAllowed(ruleVersion: 1)))
            try await scene.server.school.deactivate(ada)
            #expect(try await scene.explain(ada).signIn == .refused(.accountClosed))
            let guest = try await scene.server.insertPersonalAccount("guest")
            #expect(try await scene.explain(guest).roster == .personalAccount)
        }
    }
}
