import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@Suite struct DeviceSignInTests {
    private static let audience = "https://id.school.example"

    /// A school, a person of it, and their device.
    private struct Desk: Sendable {
        let school: School
        let person: Person
        let device: TestDevice
        let registered: RegisteredDevice
        let signIn: DeviceSignIn

        func assertion(
            _ claims: [String: Any] = [:], header: [String: Any] = [:], signature: TestDevice.Signature = .raw
        ) throws -> String {
            try device.assertion(
                of: registered.publicID, to: audience, at: school.fixed.now, claims: claims, header: header,
                signature: signature)
        }

        @discardableResult
        func enter(_ assertion: String? = nil) async throws -> String {
            try await signIn.signIn(
                assertion ?? self.assertion(), userAgent: "Extension", origin: .request("r", address: "192.0.2.1")
            ).text
        }

        func session(_ token: String) async throws -> BrowserSession? {
            let now = school.fixed.now
            return try await school.database.read { try BrowserSession.find(token: token, at: now, in: $0) }
        }
    }

    private func with(_ kind: TestDatabase = .sqlite, _ body: (Desk) async throws -> Void) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let surroundings = school.fixed.surroundings
            let registrar = DeviceRegistrar(database: database, surroundings: surroundings)
            let code = try await DeviceRegistrar.issueCode(for: nadia, in: database, school.fixed)
            let device = TestDevice()
            let registered = try await registrar.register(
                try device.key(), name: "Laptop", facts: .none, code: code, origin: .commandLine)
            try await body(
                Desk(
                    school: school, person: nadia, device: device, registered: registered,
                    signIn: DeviceSignIn(database: database, surroundings: surroundings, audience: Self.audience)))
        }
    }

    @Test(arguments: TestDatabase.available)
    func `what the device's key signs begins a session of its person, and the trail tells of it`(
        _ kind: TestDatabase
    ) async throws {
        try await with(kind) { desk in
            let session = try await desk.session(try await desk.enter())
            #expect(session?.person.id == desk.person.id)
            #expect(session?.person.state == .active)
            #expect(session?.deviceID == desk.registered.id)
            #expect(session?.authenticatedAt == desk.school.fixed.now)
            #expect(session?.expiresAt == desk.school.fixed.now.addingTimeInterval(12 * 3_600))
            let told = try await desk.school.database.read {
                try $0.all("SELECT action, detail FROM audit_entry ORDER BY sequence") {
                    "\(try $0[0] as String) \(try $0[1] as String)"
                }
            }
            #expect(told.last == "sign-in device:\(desk.registered.publicID)")
            let used = try await desk.school.database.read { try RegisteredDevice.find(desk.registered.id, in: $0) }
            #expect(used?.usedAt == desk.school.fixed.now)
        }
    }

    @Test func `what is not exactly what the device should sign is refused, with one word for all of it`() async throws
    {
        try await with { desk in
            let now = Int(desk.school.fixed.now.timeIntervalSince1970)
            let stranger = TestDevice()
            let foreign = try stranger.assertion(
                of: desk.registered.publicID, to: Self.audience, at: desk.school.fixed.now,
                header: ["kid": desk.device.thumbprint])
            let good = try desk.assertion().split(separator: ".").map(String.init)
            let changed = try desk.assertion(["iss": UUID().uuidString.lowercased()]).split(separator: ".")[1]
            var bad = [
                "": "empty", "a.b": "two parts", "a.b.c": "not base64url", "\(good[0]).\(good[1]).": "no signature",
                "\(good[0]).\(changed).\(good[2])": "other claims", foreign: "another key",
                String(repeating: "a", count: 5_000): "long", "\(good.joined(separator: ".")).x": "four parts",
                "e30.e30.e30": "empty objects",
            ]
            for (header, why) in [
                (["alg": "none"], "none"), (["alg": "HS256"], "HS256"), (["alg": "RS256"], "RS256"),
                (["alg": "es256"], "case"), (["alg": NSNull()], "no alg"), (["typ": "JWT"], "typ"),
                (["typ": NSNull()], "no typ"), (["kid": stranger.thumbprint], "foreign kid"),
                (["kid": NSNull()], "no kid"),
                (["crit": ["exp"]], "crit"), (["kid": 7], "kid is a number"),
            ] as [([String: Any], String)] {
                bad[try desk.assertion(header: header)] = why
            }
            bad[try desk.assertion(header: ["alg": "HS256"], signature: .hmac)] = "HMAC with the public key"
            bad[try desk.assertion(header: ["alg": "none"], signature: .missing)] = "none without signature"
            bad[try desk.assertion(signature: .der)] = "DER"
            bad[
                try desk.assertion(header: ["jwk": stranger.jwk, "kid": stranger.thumbprint])] = "a key in the header"
            for (claims, why) in [
                (["aud": "https://elsewhere.example"], "aud"), (["aud": Self.audience + "/"], "aud with a slash"),
                (["aud": [Self.audience, "https://elsewhere.example"]], "two auds"), (["aud": NSNull()], "no aud"),
                (["iss": NSNull()], "no iss"), (["iss": UUID().uuidString.lowercased()], "unknown iss"),
                (["iss": String(repeating: "\0", count: 36)], "NULs"), (["iss": "' OR 1=1 --"], "SQL"),
                (["jti": NSNull()], "no jti"), (["jti": "short"], "short jti"),
                (["jti": String(repeating: "j", count: 129)], "long jti"), (["jti": 7], "jti is a number"),
                (["iat": now - 400, "exp": now - 61], "expired"), (["exp": NSNull()], "no exp"),
                (["iat": NSNull()], "no iat"), (["iat": now + 61, "exp": now + 200], "iat in the future"),
                (["exp": now + 301], "lives too long"), (["iat": now - 7_200, "exp": now + 100], "old iat"),
                (["exp": now - 1, "iat": now], "exp before iat"), (["nbf": now + 61], "nbf in the future"),
                (["exp": 1e300], "huge exp"), (["iat": -1e300], "huge iat"), (["exp": "soon"], "exp is a text"),
            ] as [([String: Any], String)] {
                bad[try desk.assertion(claims)] = why
            }
            #expect(bad.count == 47)
            for (assertion, why) in bad {
                let refusal = await #expect(throws: DeviceRefusal.self, "\(why)") { try await desk.enter(assertion) }
                #expect(refusal?.code == "invalid_assertion", "\(why)")
                #expect(
                    refusal?.publicDescription == DeviceRefusal.invalidAssertion("").publicDescription, "\(why)")
            }
            let sessions = try await desk.school.database.read {
                try $0.first("SELECT COUNT(*) FROM browser_session") { try $0[0] as Int }
            }
            #expect(sessions == 0)
            try await desk.enter()
        }
    }

    @Test(arguments: TestDatabase.available)
    func `an assertion is good once: of twenty who show it at once one gets in`(_ kind: TestDatabase) async throws {
        try await with(kind) { desk in
            let assertion = try desk.assertion()
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 { group.addTask { (try? await desk.enter(assertion)) != nil } }
                return await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(outcomes.count { $0 } == 1)
            // Nobody else should have it: the trail says who showed it again.
            let told = try await desk.school.database.read {
                try $0.all("SELECT outcome, detail FROM audit_entry WHERE action = 'sign-in'") {
                    "\(try $0[0] as String) \(try $0[1] as String)"
                }
            }
            let device = "device:\(desk.registered.publicID)"
            #expect(told.count { $0 == "done \(device)" } == 1)
            #expect(told.count { $0 == "refused \(device), with an assertion that was used before" } == 19)
            // As long as it could be shown, it is remembered.
            desk.school.fixed.advance(by: 179)
            await #expect(throws: DeviceRefusal.self) { try await desk.enter(assertion) }
            try await desk.enter()
            await #expect(throws: DeviceRefusal.self) { try await desk.enter(assertion) }
        }
    }

    @Test func `whoever shows an assertion again and again is slowed down, and keeps no device out`() async throws {
        try await with(.sqlite) { desk in
            let overheard = try desk.assertion()
            try await desk.enter(overheard)
            var refusals: [String: Int] = [:]
            for _ in 0..<50 {
                let refusal = await #expect(throws: DeviceRefusal.self) { try await desk.enter(overheard) }
                refusals[refusal?.code ?? "", default: 0] += 1
            }
            #expect(refusals == ["invalid_assertion": 20, "too_many_attempts": 30])
            for _ in 0..<19 { try await desk.enter() }
            let refusal = await #expect(throws: DeviceRefusal.self) { try await desk.enter() }
            #expect(refusal?.code == "too_many_attempts")
        }
    }

    @Test(arguments: TestDatabase.available)
    func `an account that is locked, deactivated or has a temporary password is told, and the assertion stays good`(
        _ kind: TestDatabase
    ) async throws {
        try await with(kind) { desk in
            let (person, now, assertion) = (desk.person, desk.school.fixed.now, try desk.assertion())
            func set(_ state: String) async throws {
                try await desk.school.database.write {
                    try $0.execute("UPDATE person SET state = $2 WHERE id = $1", [person.id, state])
                }
            }
            try await set("locked")
            await #expect(throws: DeviceRefusal.accountLocked) { try await desk.enter(assertion) }
            // Deactivating the account removes its devices: see below.
            try await set("deactivated")
            await #expect(throws: DeviceRefusal.accountDeactivated) { try await desk.enter(assertion) }
            try await set("active")
            try await desk.school.database.write {
                try Credential.put(
                    "x", temporaryUntil: now.addingTimeInterval(3_600), for: person.id, at: now, in: $0)
            }
            await #expect(throws: DeviceRefusal.passwordChangeRequired) { try await desk.enter(assertion) }
            // With a password of the person's own the device signs in again: knowing the old password gave nobody its
            // key.
            try await desk.school.database.write {
                try Credential.put("y", temporaryUntil: nil, for: person.id, at: now, in: $0)
            }
            try await desk.enter(assertion)
        }
    }

    @Test(arguments: TestDatabase.available)
    func `the devices of a deactivated account are strangers, also when it is reactivated`(
        _ kind: TestDatabase
    ) async throws {
        try await with(kind) { desk in
            let (person, now) = (desk.person, desk.school.fixed.now)
            try await desk.enter()
            try await desk.school.deactivate(person)
            for isBack in [false, true] {
                if isBack { try await desk.school.database.write { try person.reactivate(at: now, in: $0) } }
                let refusal = await #expect(throws: DeviceRefusal.self) { try await desk.enter() }
                #expect(refusal?.code == "invalid_assertion")
            }
        }
    }

    @Test(arguments: TestDatabase.available)
    func `a removed device ends its sessions and no others, and is a stranger from then on`(_ kind: TestDatabase)
        async throws
    {
        try await with(kind) { desk in
            let byPassword = try await desk.school.signIn(desk.person)
            let token = try await desk.enter()
            let now = desk.school.fixed.now
            let removed = try await desk.school.database.write {
                try desk.registered.remove(by: .operator, origin: .commandLine, at: now, in: $0)
            }
            #expect(removed)
            #expect(try await desk.session(token) == nil)
            let other = try await desk.school.database.read {
                try BrowserSession.reload(byPassword, at: now, in: $0)
            }
            #expect(other != nil)
            await #expect(throws: DeviceRefusal.self) { try await desk.enter() }
        }
    }

    @Test(arguments: TestDatabase.available)
    func `a new password ends the sessions that devices began`(_ kind: TestDatabase) async throws {
        try await with(kind) { desk in
            let (token, now) = (try await desk.enter(), desk.school.fixed.now)
            try await desk.school.database.write {
                try Credential.put("y", temporaryUntil: nil, for: desk.person.id, at: now, in: $0)
            }
            #expect(try await desk.session(token) == nil)
            try await desk.enter()
        }
    }

    @Test(arguments: TestDatabase.available)
    func `a device has ten sessions at most, and is slowed down after twenty`(_ kind: TestDatabase) async throws {
        try await with(kind) { desk in
            var tokens: [String] = []
            for _ in 0..<20 { tokens.append(try await desk.enter()) }
            await #expect(throws: DeviceRefusal.tooManyAttempts(seconds: 5)) { try await desk.enter() }
            desk.school.fixed.advance(by: 5)
            tokens.append(try await desk.enter())
            let living = try await desk.school.database.read {
                try $0.first("SELECT COUNT(*) FROM browser_session") { try $0[0] as Int }
            }
            #expect(living == 10)
            #expect(try await desk.session(tokens[20]) != nil)
        }
    }
}
