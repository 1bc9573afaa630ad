import Ground
@testable import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct DeviceAuthorizationBoundsTests {
    private typealias Row = (client: String, address: String?, answer: String?)

    /// Puts rows in, one a second, numbered from 0.
    private static func fill(_ database: any Database, _ rows: [Row]) async throws {
        let now = FixedSurroundings.start
        try await database.write { transaction in
            let app = try transaction.first("SELECT id FROM app") { try $0[0] as AppID }
            try transaction.execute(
                "INSERT INTO client (client_id, app_id, is_primary) VALUES ('other', $1, 0)", [try #require(app)])
            for (index, row) in rows.enumerated() {
                try transaction.execute(
                    """
                    INSERT INTO device_authorization
                        (device_hash, user_code, client_id, scopes, pause, expires_at, address_hash, answer)
                    VALUES ($1, $2, $3, '', 5, $4, $5, $6)
                    """,
                    [
                        SecretHash(of: "\(index)"), "\(index)", row.client, now.addingTimeInterval(Double(index)),
                        row.address.map { AddressBlock($0).hash }, row.answer,
                    ])
            }
        }
    }

    private static func left(_ database: any Database) async throws -> [Int] {
        try await database.read {
            try $0.all("SELECT user_code FROM device_authorization ORDER BY expires_at") {
                Int(try $0[0] as String) ?? -1
            }
        }
    }

    @Test(
        "an address, a client and all together hold so many that wait; decisions stay",
        arguments: TestDatabase.available)
    func bounds(_ kind: TestDatabase) async throws {
        let (one, two) = ("192.0.2.1", "192.0.2.2")
        let own = "com.example.quizzler"
        let rows: [Row] = [
            (own, one, "allowed"), (own, one, nil), (own, two, nil), ("other", one, nil), (own, nil, nil),
            (own, one, nil), ("other", two, nil),
        ]
        typealias Bounds = DeviceAuthorization.Bounds
        let expected: [(Bounds, [Int])] = [
            (Bounds(perAddress: 10, perClient: 10, total: 10), [0, 1, 2, 3, 4, 5, 6]),
            (Bounds(perAddress: 2, perClient: 10, total: 10), [0, 2, 3, 4, 5, 6]),
            (Bounds(perAddress: 10, perClient: 2, total: 10), [0, 3, 4, 5, 6]),
            (Bounds(perAddress: 10, perClient: 10, total: 3), [0, 4, 5, 6]),
        ]
        for (bounds, left) in expected {
            try await kind.with { database in
                _ = try await AuthorizationServer(database: database)
                try await Self.fill(database, rows)
                try await database.write {
                    try DeviceAuthorization.trim(client: own, address: AddressBlock(one), to: bounds, in: $0)
                }
                let kept: [Int] = try await Self.left(database)
                #expect(kept == left)
            }
        }
    }

    @Test("however many devices an address brings, a bounded number waits", arguments: TestDatabase.available)
    func flood(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (credentials, surroundings) = (try await server.client, server.fixed.surroundings)
            let (authenticator, start) = (server.authenticator, server.fixed.now)
            try await database.write { transaction in
                let client = try authenticator.authenticate(credentials, in: transaction)
                for index in 0..<1_500 {
                    _ = try DeviceAuthorization.insert(
                        for: client, scope: "openid", nonce: nil, address: AddressBlock("192.0.2.7"),
                        at: start.addingTimeInterval(Double(index) / 10), from: surroundings, in: transaction)
                }
            }
            let count = try await Self.left(database).count
            // On average only every 64th insertion removes rows, so there may be more than the bound.
            #expect(count < 1_200)
            #expect(count >= 500)
        }
    }
}
