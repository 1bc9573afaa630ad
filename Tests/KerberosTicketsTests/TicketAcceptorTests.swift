import Foundation
import KerberosTickets
import TestSupport
import Testing

/// What is refused before a ticket is looked into, and keytabs that cannot be used. Real tickets are in
/// `Tests/EndToEnd/kerberos`.
@Suite struct TicketAcceptorTests {
    private static func with(
        keytab: Data?, _ body: (_ path: String) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keytab-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("web.keytab")
        try keytab?.write(to: file)
        try await body(file.path)
    }

    private static func keytab(_ services: [String]) -> Data { KeytabFile(services).data }

    @Test("a keytab needs a key of the host of the base URL")
    func keytabs() async throws {
        for (keytab, words) in [
            (nil, "There is no keytab"), (Data("nonsense".utf8), "cannot be read"),
            (Self.keytab(["HTTP/other.example", "cifs/id.maple.example"]), "has no key of HTTP/id.maple.example"),
            (Self.keytab([]), "has no key of HTTP/id.maple.example"),
        ] {
            try await Self.with(keytab: keytab) { path in
                let problem = #expect(throws: TicketAcceptor.Problem.self) {
                    try TicketAcceptor(keytab: path, host: "id.maple.example")
                }
                #expect(problem?.description.contains(words) == true, "\(problem?.description ?? "")")
            }
        }
    }

    @Test("what is no ticket is refused by what it is")
    func refusals() async throws {
        try await Self.with(keytab: Self.keytab(["HTTP/other.example", "HTTP/ID.maple.example"])) { path in
            let acceptor = try TicketAcceptor(keytab: path, host: "id.maple.example")
            #expect(acceptor.service == "HTTP/id.maple.example")
            let ntlm = Data("NTLMSSP\u{0}".utf8 + [1, 0, 0, 0]).base64EncodedString()
            for (text, refusal) in [
                ("", TicketRefusal.malformed), ("***", .malformed), ("AAAA", .malformed), (ntlm, .ntlm),
                (Data(count: TicketAcceptor.bytesMax + 1).base64EncodedString(), .tooLong),
                (String(repeating: "A", count: 1_000_000), .tooLong),
                (Data(count: TicketAcceptor.bytesMax).base64EncodedString(), .malformed),
            ] {
                let found = await #expect(throws: TicketRefusal.self) { _ = try await acceptor.accept(text) }
                #expect(found == refusal, "\(text.prefix(20))")
            }
        }
    }

    @Test("a file that breaks takes no keys away")
    func renewal() async throws {
        try await Self.with(keytab: Self.keytab(["HTTP/id.maple.example"])) { path in
            let acceptor = try TicketAcceptor(keytab: path, host: "id.maple.example")
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path))
            let found = await #expect(throws: TicketRefusal.self) { _ = try await acceptor.accept("AAAA") }
            #expect(found == .malformed)
        }
    }

    @Test("the keys of the server are told, without those of others, and which are weak")
    func keys() async throws {
        let (service, host) = ("HTTP/id.maple.example", "ID.maple.example")
        try await KeytabFile([service, "cifs/id.maple.example"]).written { path in
            let keys = try KeytabKey.list(in: path, of: host)
            #expect(keys.map(\.realm) == ["MAPLE.EXAMPLE"] && keys.map(\.version) == [2])
            #expect(keys.map(\.type) == ["aes256-cts-hmac-sha1-96"] && !keys.contains(where: \.isWeak))
        }
        try await KeytabFile([service], .rc4, realm: "OAK.EXAMPLE").written { path in
            let keys = try KeytabKey.list(in: path, of: host)
            #expect(keys.map(\.realm) == ["OAK.EXAMPLE"] && keys.allSatisfy(\.isWeak))
        }
        try await KeytabFile(["HTTP/other.example"]).written { path in
            let problem = #expect(throws: TicketAcceptor.Problem.self) { try KeytabKey.list(in: path, of: host) }
            #expect(problem?.description.contains("has no key of HTTP/id.maple.example") == true)
        }
    }
}
