@testable import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@Suite struct ParkedRequestBoundsTests {
    private func count(_ database: any Database) async throws -> Int? {
        try await database.read { try $0.first("SELECT COUNT(*) FROM parked_request") { try $0[0] } }
    }

    /// Parks `count` requests, one each second, and returns their tokens.
    private func park(
        _ count: Int, _ server: AuthorizationServer, browser: @escaping @Sendable (Int) -> String,
        address: String = "192.0.2.7"
    ) async throws -> [String] {
        let (request, now, surroundings) = (try await server.validate(), server.fixed.now, server.fixed.surroundings)
        server.fixed.advance(by: TimeInterval(count))
        return try await server.database.write { transaction in
            try (0..<count).map { index in
                try ParkedRequest.insert(
                    request, browser: browser(index), address: AddressBlock(address), at: now + Double(index),
                    from: surroundings, in: transaction
                ).text
            }
        }
    }

    private func found(_ tokens: [String], _ server: AuthorizationServer, browser: String) async throws -> [Bool] {
        let now = server.fixed.now
        return try await server.database.read { transaction in
            try tokens.map { try ParkedRequest.find(token: $0, browser: browser, at: now, in: transaction) != nil }
        }
    }

    @Test("a browser holds its last twenty requests", arguments: TestDatabase.available)
    func browser(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let other = try await park(1, server, browser: { _ in "phone" })
            let tokens = try await park(25, server, browser: { _ in "desk" })
            let kept = try await found(tokens, server, browser: "desk")
            let ofOther = try await found(other, server, browser: "phone")
            #expect(kept == Array(repeating: false, count: 5) + Array(repeating: true, count: 20))
            #expect(ofOther == [true])
        }
    }

    @Test("what was answered gives way before what somebody works on", arguments: TestDatabase.available)
    func answered(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let waiting = try await park(1, server, browser: { _ in "desk" })
            for _ in 0..<30 {
                _ = try await park(1, server, browser: { _ in "desk" })
                try await database.write { transaction in
                    try transaction.execute(
                        "UPDATE parked_request SET answer = $1 WHERE token_hash <> $2",
                        ["denied", SecretHash(of: waiting[0])])
                }
            }
            let kept = try await found(waiting, server, browser: "desk")
            #expect(kept == [true])
        }
    }

    @Test("a hundred requests of one browser at once leave twenty", arguments: TestDatabase.available)
    func atOnce(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (request, now, surroundings) = (
                try await server.validate(), server.fixed.now, server.fixed.surroundings
            )
            let parked = await concurrently(0..<100) { _ in
                do {
                    return try await database.write { transaction in
                        try ParkedRequest.insert(
                            request, browser: "desk", address: AddressBlock("192.0.2.7"), at: now, from: surroundings,
                            in: transaction
                        ).text
                    }
                } catch {
                    Issue.record(error)
                    return ""
                }
            }
            #expect(Set(parked).count == 100)
            let left = try await count(database)
            #expect(left == 20)
        }
    }

    @Test("an address, and all together, hold a bounded number: the oldest give way", arguments: TestDatabase.available)
    func addresses(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await park(10, server, browser: { "s\($0)" }, address: "198.51.100.1")
            let tokens = try await park(50, server, browser: { "b\($0)" })
            var bounds = ParkedRequest.Bounds()
            bounds.perAddress = 30
            func trim(_ bounds: ParkedRequest.Bounds) async throws -> Int? {
                try await database.write {
                    try ParkedRequest.trim(address: AddressBlock("192.0.2.7"), to: bounds, in: $0)
                }
                return try await count(database)
            }
            let afterAddress = try await trim(bounds)
            #expect(afterAddress == 10 + 30)
            let newest = try await found([tokens[49]], server, browser: "b49")
            let oldest = try await found([tokens[0]], server, browser: "b0")
            #expect(newest == [true])
            #expect(oldest == [false])
            bounds.total = 20
            let afterAll = try await trim(bounds)
            #expect(afterAll == 20)
        }
    }

    @Test("a flood of new browsers from one address is bounded; two thousand pupils of a school lose nothing")
    func flood() async throws {
        try await TestDatabase.sqlite.with { database in
            let server = try await AuthorizationServer(database: database)
            let tokens = try await park(2_000, server, browser: { "pupil\($0)" })
            let kept = try await count(database)
            #expect(kept == 2_000)
            let request = try await server.validate()
            let (now, surroundings) = (server.fixed.now, server.fixed.surroundings)
            try await database.write { transaction in
                for index in 0..<6_000 {
                    _ = try ParkedRequest.insert(
                        request, browser: "flood\(index)", address: AddressBlock("192.0.2.7"),
                        at: now + Double(index / 10), from: surroundings, in: transaction)
                }
            }
            let left = try await count(database) ?? 0
            #expect((5_000...5_600).contains(left))
            let first = try await found([tokens[0]], server, browser: "pupil0")
            #expect(first == [false])
        }
    }
}
