import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import TestServers

/// `email_verified` is what somebody answers for.
@Suite struct VerifiedEmailTests {
    /// As identity tokens of both profiles and userinfo tell it.
    private func told(_ server: TestServer, _ client: StandardClient, _ person: Person) async throws -> [Bool?] {
        let plain = try await client.tokens(as: person, scope: "openid email")
        let compatible = try await server.tokens(server.rival, as: person)
        return [
            try await server.verified(plain.identity).claims["email_verified"] as? Bool,
            try await server.verified(compatible.identity).claims["email_verified"] as? Bool,
            try await client.userInfo(plain.access).json["email_verified"] as? Bool,
        ]
    }

    @Test(
        "an address that the operator typed in is not verified; one that answered a code is",
        arguments: TestDatabase.available)
    func personal(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind) { server in
            let client = try await StandardClient.secret(on: server)
            let hash = try await PasswordHasher(cost: .low, surroundings: server.fixed.surroundings)
                .hash(District.password)
            let now = server.fixed.now
            let typed = try await server.database.write { transaction in
                let person = try Person.insert(
                    in: nil, givenName: "Chief", familyName: "Executive", email: "ceo@bank.example",
                    userName: "ceo@bank.example", at: now, in: transaction)
                try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: transaction)
                return person
            }
            #expect(try await told(server, client, typed) == [false, false, false])

            let signedUp = try await server.signUp(in: server.browser())
            #expect(try await told(server, client, signedUp) == [true, true, true])

            // Who forgot the password answers a code at the address, too.
            let browser = server.browser()
            let asked = try await browser.follow(
                browser.submit(
                    browser.get("/forgot-password").form("/forgot-password"), ["email": "ceo@bank.example"]))
            let entered = try await browser.follow(
                browser.submit(asked.form("/verify-email/"), ["code": server.mailedCode()]))
            try await browser.submit(
                entered.forms.first { $0.action.contains("password") }, ["new_password": District.password])
            #expect(try await told(server, client, typed) == [true, true, true])
        }
    }

    @Test(
        "of a managed account it is verified in the organization's own verified domain, and nowhere else",
        arguments: TestDatabase.available)
    func managed(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.secret(on: server)
            let nadia = server.maple.nadia
            for (address, isVerified) in [
                ("nadia@maple.example", true), ("Nadia@MAPLE.example", true), ("nadia@old-maple.example", false),
                ("nadia@birch.example", false), ("nadia@sub.maple.example", false), ("nadia@home.example", false),
            ] {
                try await server.database.write {
                    try $0.execute("UPDATE person SET email = $2 WHERE id = $1", [nadia.id, address])
                }
                #expect(
                    try await told(server, client, nadia) == Array(repeating: isVerified, count: 3), "\(address)")
            }
        }
    }

    @Test(
        "nobody gets a personal account with an address that is an organization's to give",
        arguments: TestDatabase.available)
    func foreignDomain(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let now = server.fixed.now
            func add(_ email: String) async throws {
                try await server.database.write {
                    _ = try Person.insert(
                        in: nil, givenName: "New", familyName: "Ceo", email: email, userName: "ceo@home.example",
                        at: now, in: $0)
                }
            }
            await #expect(throws: DirectoryError.domainTaken("maple.example")) {
                try await add("new.ceo@Maple.example")
            }
            // Nobody has verified this one.
            try await add("new.ceo@old-maple.example")
        }
    }
}
