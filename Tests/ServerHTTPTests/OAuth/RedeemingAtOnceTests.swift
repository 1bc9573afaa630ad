import Directory
import Fixtures
import TestSupport
import Testing

@testable import TestServers

/// Races that real networks make.
@Suite struct RedeemingAtOnceTests {
    @Test("of eight redemptions of one code at once, exactly one gets tokens", arguments: TestDatabase.available)
    func code(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let code = try await server.code(server.quizzler)
            let answers = await concurrently(0..<8) { _ in try? await server.redeem(code, server.quizzler) }
            #expect(answers.compactMap { $0?.status }.sorted() == [200] + Array(repeating: 400, count: 7))
        }
    }

    @Test("two who press Allow at once leave one living consent", arguments: TestDatabase.available)
    func allow(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let administrators = [server.maple.administrator, server.maple.siteManager]
            let codes = await concurrently(administrators) { try? await server.code(server.quizzler, as: $0) }
            #expect(codes.compactMap { $0 }.count == 2)
            for code in codes { #expect(try await server.redeem(code ?? "", server.quizzler).status == 200) }
            let granted = try await server.audit(of: server.maple.organization.id).filter {
                $0.hasPrefix("consent.granted")
            }
            #expect(granted.count == 2)
        }
    }
}
