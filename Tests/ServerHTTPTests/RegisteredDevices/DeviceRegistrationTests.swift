import Authorization
import Crypto
import Directory
import Fixtures
import Foundation
import Ground
import NIOHTTP1
import Storage
import Testing
import TestSupport

@testable import ServerHTTP
@testable import TestServers

@Suite struct DeviceRegistrationTests {
    private func devices(_ server: TestServer) async throws -> Int { try await server.count("registered_device") }

    @Test(arguments: TestDatabase.available)
    func `a device hands in its key with a code, and gets its id`(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let device = TestDevice()
            let answer = try await server.register(device, code: try await server.deviceCode(for: server.maple.nadia))
            #expect(answer.status == 201)
            #expect(answer["Content-Type"] == "application/json;charset=UTF-8" && answer["Cache-Control"] == "no-store")
            let id = try #require(answer.json["device"] as? String)
            #expect(answer.json.count == 1 && UUID(uuidString: id) != nil)
            let stored = try await server.database.read { try RegisteredDevice.find(publicID: id, in: $0) }
            #expect(stored?.personID == server.maple.nadia.id)
            #expect(stored?.key.thumbprint == device.thumbprint)
            #expect(stored?.facts.values == ["os": .text("Debian 12"), "encrypted": .truth(true)])
            let told = try await server.audit(of: server.maple.organization.id).filter { $0.hasPrefix("device") }
            #expect(
                told == ["device-code.issued done", "device.registered done device:\(id) key \(device.thumbprint)"])
        }
    }

    @Test(arguments: TestDatabase.available)
    func `of twenty devices that send one code at once, one is registered`(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let code = try await server.deviceCode(for: server.maple.nadia)
            let statuses = await concurrently(0..<20) { _ in
                let device = TestDevice()
                // A machine that runs many tests can keep the database waiting, and then a device is told to come again.
                for _ in 0..<20 {
                    let status = (try? await server.register(device, code: code).status) ?? 0
                    if status != 503 { return status }
                }
                return 503
            }
            #expect(statuses.sorted() == [201] + Array(repeating: 403, count: 19))
            #expect(try await devices(server) == 1)
        }
    }

    @Test func `what cannot be read says what is wrong with it, and the code stays good`() async throws {
        try await TestServer.with { server in
            let device = TestDevice()
            let code = try await server.deviceCode(for: server.maple.nadia)
            let rsa: [String: Any] = ["kty": "RSA", "n": "AQAB", "e": "AQAB"]
            let zero = Data(repeating: 0, count: 32).base64URLEncoded
            for (changes, error, text) in [
                (["code": NSNull()], "invalid_request", "code is missing"),
                (["code": 7], "invalid_request", "code is of another type"),
                (["name": NSNull()], "invalid_request", "name is missing"),
                (["name": " "], "invalid_request", "name is empty"),
                (["name": String(repeating: "n", count: 300)], "invalid_request", "name is longer than 256 bytes"),
                (["facts": ["a": ["b": 1]]], "invalid_request", "facts.a"),
                (["facts": "many"], "invalid_request", "facts is of another type"),
                (["facts": ["a": String(repeating: "x", count: 300)]], "invalid_request", "facts.a is longer"),
                (["publicKey": NSNull()], "invalid_key", "publicKey is missing"),
                (["publicKey": "MFkw"], "invalid_key", "publicKey is of another type"),
                (["publicKey": rsa], "invalid_key", "kty is “RSA”, not EC"),
                (["publicKey": ["kty": "EC", "crv": "P-256", "x": zero, "y": zero]], "invalid_key", "no point of"),
                (["publicKey": device.jwk.merging(["d": zero]) { $1 }], "invalid_key", "private half"),
                (["csr": "hello"], "invalid_csr", "no PKCS #10 in PEM"),
                (["csr": String(repeating: "A", count: 9_000)], "invalid_csr", "longer than 8192 bytes"),
            ] as [([String: Any], String, String)] {
                let answer = try await server.register(device, code: code, changes)
                #expect(answer.status == 400, "\(text)")
                #expect(answer.error == error, "\(text)")
                let description = answer.json["error_description"] as? String ?? ""
                #expect(description.contains(text), "\(description)")
            }
            for text in ["", "[]", "7", "\"x\"", "{", "{\"code\":", "\u{0}", "nul"] {
                let answer = try await server.postJSON(text)
                #expect(answer.status == 400 && answer.error == "invalid_request", "\(text)")
            }
            for depth in [600, 30_000] {
                let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                for text in [nested, #"{"facts":\#(nested)}"#, #"{"other":\#(nested)}"#] {
                    #expect(try await server.postJSON(text).status == 400)
                }
            }
            let typed = try await server.register(device, code: code, headers: ["Content-Type": "text/plain"])
            #expect(typed.status == 415)
            #expect(try await devices(server) == 0)
            #expect(try await server.register(device, code: code).status == 201)
        }
    }

    @Test func `ten megabytes are refused without being read`() async throws {
        try await TestServer.with { server in
            let code = try await server.deviceCode(for: server.maple.nadia)
            let name = String(repeating: "n", count: (64 << 10) + 1)
            for (path, type, beginning) in [
                ("device-registration", "json", #"{"code":"\#(code)","name":""#),
                ("device-session", "x-www-form-urlencoded", "assertion="),
            ] {
                let line = try await RawConnection.refusal(
                    of: """
                        POST /\(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/\(type)\r\n\
                        Content-Length: \(10 << 20)\r\n\r\n\(beginning)\(name.dropLast(beginning.utf8.count))
                        """, port: server.port)
                #expect(line == "HTTP/1.1 413 Payload Too Large\r\n", "\(path)")
            }
            let over = try await server.register(TestDevice(), code: code, ["name": name])
            #expect(over.status == 413 && over.error == "invalid_request")
            #expect(try await devices(server) == 0)
            #expect(try await server.register(TestDevice(), code: code).status == 201)
        }
    }

    @Test func `guessing codes ends soon, also for whoever guesses right then; another address goes on`() async throws {
        try await TestServer.with(configure: { $0.wrongPasswords.burst = 5 }) { server in
            let code = try await server.deviceCode(for: server.maple.nadia)
            for _ in 0..<5 {
                let answer = try await server.register(TestDevice(), code: "BBBB-CCCC-DDDD")
                #expect(answer.status == 403 && answer.error == "invalid_code")
            }
            let slowed = try await server.register(TestDevice(), code: code)
            #expect(slowed.status == 429 && slowed.error == "too_many_attempts" && slowed["Retry-After"] == "30")
            let elsewhere = try await server.register(
                TestDevice(), code: code, headers: ["X-Forwarded-For": "203.0.113.9"])
            #expect(elsewhere.status == 201)
            server.fixed.advance(by: 30)
            let next = try await server.register(TestDevice(), code: "BBBB-CCCC-DDDD")
            #expect(next.status == 403)
        }
    }

    @Test func `unknown, used, expired and mistyped codes are one answer`() async throws {
        try await TestServer.with { server in
            let used = try await server.deviceCode(for: server.maple.nadia)
            _ = try await server.register(TestDevice(), code: used)
            let expired = try await server.deviceCode(for: server.maple.nadia)
            server.fixed.advance(by: 900)
            let answers = try await [
                used, expired, "BBBB-CCCC-DDDD", "", "aeiou", String(repeating: "B", count: 5_000),
            ]
            .asyncMap { try await server.register(TestDevice(), code: $0).line }
            #expect(Set(answers).count == 1)
            #expect(answers[0].hasPrefix("403 "))
        }
    }

    @Test func `an eleventh device is refused`() async throws {
        try await TestServer.with { server in
            for _ in 0..<9 { _ = try await server.addDevice(for: server.maple.nadia) }
            let code = try await server.deviceCode(for: server.maple.nadia)
            try await server.database.write { transaction in
                try transaction.execute(
                    """
                    INSERT INTO registered_device
                        (public_id, person_id, name, public_key, thumbprint, facts, registered_at)
                    SELECT 'other', person_id, name, public_key, 'other', facts, registered_at
                    FROM registered_device LIMIT 1
                    """)
            }
            let answer = try await server.register(TestDevice(), code: code)
            #expect(answer.status == 409 && answer.error == "too_many_devices")
            #expect(try await devices(server) == 10)
        }
    }

    @Test(arguments: [
        ["Origin": "https://evil.example"], ["Origin": "null"], ["Origin": TestServer.baseURL],
        ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Mode": "navigate"], ["Sec-Fetch-Dest": "document"],
    ])
    func `a page in a browser registers nothing and signs nobody in`(headers: [String: String]) async throws {
        try await TestServer.with { server in
            let code = try await server.deviceCode(for: server.maple.nadia)
            let refused = try await server.register(TestDevice(), code: code, headers: headers)
            #expect(refused.status == 403 && refused.error == "not_for_browsers")
            #expect(refused["Access-Control-Allow-Origin"] == nil)
            let (device, id) = try await server.addDevice(for: server.maple.nadia)
            let entered = try await server.enter(try server.assertion(device, id), headers)
            #expect(entered.status == 403 && entered.error == "not_for_browsers" && entered.cookies.isEmpty)
        }
    }

    @Test(arguments: ["/device-registration", "/device-session"])
    func `other methods are told which one there is`(path: String) async throws {
        try await TestServer.with { server in
            for method in [HTTPMethod.GET, .PUT, .DELETE] {
                let answer = try await server.browser().send(method, path)
                #expect(answer.status == 405 && answer["Allow"] == "POST" && answer.error == "invalid_request")
            }
        }
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
