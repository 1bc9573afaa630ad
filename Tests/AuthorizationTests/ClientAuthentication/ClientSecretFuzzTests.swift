import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import SeededNumbers
import Storage
import Testing
import TestSupport

@Suite struct ClientSecretFuzzTests {
    @Test("random bytes and mutations of a good secret are never accepted and never crash", .timeLimit(.minutes(2)))
    func fuzz() async throws {
        try await TestDatabase.sqlite.with { database in
            let server = try await AuthorizationServer(database: database)
            let good = Array(try server.registered.clientSecret(at: server.fixed.now).utf8)
            var generator = SeededGenerator(seed: 42)
            for tries in 0..<2_000 {
                let bytes = tries.isMultiple(of: 4) ? Self.random(&generator) : Self.mutation(of: good, &generator)
                guard bytes != good else { continue }
                let secret = String(decoding: bytes, as: UTF8.self)
                let code = await refusal {
                    _ = try await server.authenticate(
                        clientID: "com.example.quizzler", clientSecret: secret)
                }
                guard code == .invalidClient else {
                    Issue.record("accepted: \(secret)")
                    break
                }
            }
        }
    }

    private static func random(_ generator: inout SeededGenerator) -> [UInt8] {
        let alphabet = Array("eyJhbGciOiJFUzI1NiJ9._-AZaz09{}\"[]:,\0\n=+/é".utf8)
        return (0..<Int.random(in: 1...300, using: &generator)).map { _ in
            Bool.random(using: &generator)
                ? alphabet.randomElement(using: &generator)! : UInt8.random(in: 0...255, using: &generator)
        }
    }

    /// One to three changes: a byte replaced, removed, put in, a stretch doubled or cut, or a part's JSON edited.
    private static func mutation(of good: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = good
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
            let (index, other) = (
                Int.random(in: bytes.indices, using: &generator), Int.random(in: bytes.indices, using: &generator)
            )
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(Array("ABCxyz019-_.=".utf8).randomElement(using: &generator)!, at: index)
            case 3: bytes.insert(contentsOf: bytes[min(index, other)..<max(index, other)], at: index)
            case 4: bytes.removeSubrange(min(index, other)..<max(index, other))
            default: bytes = editedJSON(bytes, &generator)
            }
        }
        return bytes
    }

    private static func editedJSON(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let index = Int.random(in: 0..<min(2, parts.count), using: &generator)
        guard var json = Data(base64URLEncoded: parts[index]), !json.isEmpty else { return bytes }
        let spoils = [
            "1e400", "null", "[]", "{}", "-0", "\"\"", "\\u0000", "\"alg\":\"none\",",
            "9".padding(toLength: 40, withPad: "9", startingAt: 0),
        ]
        let at = Int.random(in: 0..<json.count, using: &generator)
        json.insert(contentsOf: Data(spoils.randomElement(using: &generator)!.utf8), at: json.startIndex + at)
        parts[index] = json.base64URLEncoded
        return Array(parts.joined(separator: ".").utf8)
    }
}
