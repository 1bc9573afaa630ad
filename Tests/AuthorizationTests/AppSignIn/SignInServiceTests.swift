import Authorization
import Directory
import Fixtures
import Ground
import Storage
import TestSupport
import Testing

@Suite struct SignInServiceTests {
    private func park(_ server: AuthorizationServer) async throws -> ParkedRequest {
        let parameters = server.parameters(["scope": "openid"])
        let (now, surroundings) = (server.fixed.now, server.fixed.surroundings)
        let parked = try await server.database.write { transaction in
            let request = try AuthorizationRequest.standard(
                parameters, issuer: "https://id.maple.example/oidc", at: now, in: transaction)
            let token = try ParkedRequest.insert(
                request, browser: AuthorizationServer.browser, at: now, from: surroundings, in: transaction)
            return try ParkedRequest.find(
                token: token.text, browser: AuthorizationServer.browser, at: now, in: transaction)
        }
        return try #require(parked)
    }

    @Test(
        "an app that the person has just stopped using gets nothing without a page",
        arguments: TestDatabase.available)
    func stoppedMeanwhile(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (person, app) = (server.administrator, server.registered.app.id)
            let (now, surroundings) = (server.fixed.now, server.fixed.surroundings)
            let session = try await server.school.signIn(person)
            let signIns = SignInService(
                database: database, surroundings: surroundings, tokens: server.tokens, relayDomain: nil)
            // Continue on the page, and later no page.
            for choice in [SignInService.Choice(), nil] {
                let outcome = try await signIns.proceed(
                    try await park(server), by: session, choice: choice, origin: .system)
                #expect(outcome.isAnswer)
            }
            try await database.write { transaction in
                _ = try SignInConsent.living(app: app, person: person.id, in: transaction)?.end(
                    .person, by: .person(person.id), from: .system, at: now, surroundings: surroundings,
                    in: transaction)
            }
            let outcome = try await signIns.proceed(
                try await park(server), by: session, choice: nil, origin: .system)
            guard case .refused(.create) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let consent = try await database.read { try SignInConsent.living(app: app, person: person.id, in: $0) }
            #expect(consent == nil)
        }
    }
}

extension SignInService.Outcome {
    fileprivate var isAnswer: Bool { if case .answer = self { true } else { false } }
}
