import Authorization
import CryptoExtras
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport

/// The contents of a server's database: two districts, and two teams of developers with an app each. The clock moves
/// only when a test sets it.
struct Scene: Sendable {
    let database: any Database
    let fixed: FixedSurroundings
    let masterKey: MasterKey
    let maple: District
    let birch: District
    /// An app on the lists of both districts, with a second client id.
    let quizzler: TestApp
    /// An app of another team, on Maple's list.
    let rival: TestApp
    /// A member of Quizzler's team, with a personal account.
    let developer: Person

    static let groupedClientID = "com.quizzler.services"

    /// One key for the whole run, because making it takes longer than most tests.
    private static let signingKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048).derRepresentation }

    static func insert(
        in database: any Database, studentCount: Int = 5, notificationURL: String? = nil,
        at start: Date = FixedSurroundings.start
    ) async throws -> Scene {
        let fixed = FixedSurroundings(now: start)
        let (surroundings, now) = (fixed.surroundings, fixed.now)
        let masterKey = MasterKey(bytes: surroundings.randomBytes(32))
        let sealed = try masterKey.seal(signingKey.get(), for: "sign_tokens")
        let hash = try await PasswordHasher(cost: .low, surroundings: surroundings).hash(District.password)
        let (maple, birch, developer) = try await database.write { transaction in
            try transaction.execute(
                "INSERT INTO server_key (key_id, purpose, sealed_key, created_at) VALUES ($1, $2, $3, $4)",
                ["TESTSIGNER", "sign_tokens", sealed, now])
            let developer = try Person.insert(
                in: nil, givenName: "Dev", familyName: "Eloper", userName: "dev@quizzler.example", at: now,
                in: transaction)
            try Credential.put(hash, temporaryUntil: nil, for: developer.id, at: now, in: transaction)
            return (
                try District.insert(
                    "Maple District", domain: "maple.example", studentCount: studentCount, passwordHash: hash, at: now,
                    in: transaction),
                try District.insert(
                    "Birch District", domain: "birch.example", studentCount: 2, passwordHash: hash, at: now,
                    in: transaction),
                developer
            )
        }
        let quizzler = try await TestApp.insert(
            "com.quizzler", groupedClientID, notificationURL: notificationURL, fixed: surroundings,
            masterKey: masterKey, in: database)
        let rival = try await TestApp.insert(
            "org.rival", name: "Rival", fixed: surroundings, masterKey: masterKey, in: database)
        try await quizzler.list(in: maple.organization.id, of: database, at: now)
        try await quizzler.list(in: birch.organization.id, of: database, at: now)
        try await rival.list(in: maple.organization.id, of: database, at: now)
        try await database.write { try quizzler.team.add(member: developer.id, in: $0) }
        return Scene(
            database: database, fixed: fixed, masterKey: masterKey, maple: maple, birch: birch, quizzler: quizzler,
            rival: rival, developer: developer)
    }
}
