import DomainNames
import Foundation
import TestNameServer
import Testing

/// What name servers say, asked as the server asks them. The name server is NSD.
@Suite struct TextRecordsTests {
    @Test("each record is one text, whatever parts it has, beside records of other types")
    func texts() async throws {
        let part = String(repeating: "x", count: 255)
        let records = """
            one TXT "v=1"
            one A 127.0.0.2
            parts TXT "\(part)" "and more"
            several TXT "first"
            several TXT "second" " part"
            umlaut TXT "\\195\\188"
            broken TXT "\\255"
            empty TXT ""
            """
        try await NameServer.with(records) { server in
            let found = TextRecords(servers: server.address)
            try await found.expect(["v=1"], at: "one.maple.example")
            try await found.expect(["v=1"], at: "ONE.Maple.Example")
            try await found.expect([part + "and more"], at: "parts.maple.example")
            try await found.expect(["first", "second part"], at: "several.maple.example")
            try await found.expect(["ü"], at: "umlaut.maple.example")
            try await found.expect(["\u{fffd}"], at: "broken.maple.example")
            try await found.expect([""], at: "empty.maple.example")
        }
    }

    @Test("a name that stands for another has that one's records")
    func alias() async throws {
        try await NameServer.with("alias CNAME real\nreal TXT \"here\"") { server in
            try await TextRecords(servers: server.address).expect(["here"], at: "alias.maple.example")
        }
    }

    @Test("an answer that does not fit into a datagram comes over TCP")
    func large() async throws {
        let texts = (1...40).map { "\($0) " + String(repeating: "y", count: 200) }
        let records = texts.map { "many TXT \"\($0)\"" }.joined(separator: "\n")
        try await NameServer.with(records) { server in
            try await TextRecords(servers: server.address).expect(texts.sorted(), at: "many.maple.example")
        }
    }

    @Test("no such name, no such record, and no answer are told apart")
    func failures() async throws {
        try await NameServer.with("address A 127.0.0.2") { server in
            let found = TextRecords(servers: server.address)
            await #expect(throws: TextRecordFailure.noSuchName) { try await found.find(at: "nobody.maple.example") }
            await #expect(throws: TextRecordFailure.noRecord) { try await found.find(at: "address.maple.example") }
            // It is not asked for zones of others.
            await #expect { try await found.find(at: "oak.example") } throws: { $0.isNoAnswer }
        }
        // Nothing listens there.
        for servers in ["127.0.0.1:1", "127.0.0.1:1,127.0.0.2:1"] {
            await #expect { try await TextRecords(servers: servers).find(at: "maple.example") } throws: {
                $0.isNoAnswer
            }
        }
        await #expect { try await TextRecords(servers: "no address").find(at: "maple.example") } throws: {
            $0.isNoAnswer
        }
    }

    @Test("what is no name is an answer too, not a crash")
    func names() async throws {
        try await NameServer.with("") { server in
            let found = TextRecords(servers: server.address)
            for name in [
                "", ".", "..", "a..b", String(repeating: "a", count: 64) + ".maple.example", "\\", "ü.example",
            ] {
                await #expect(throws: TextRecordFailure.self, "\(name)") { try await found.find(at: name) }
            }
        }
    }

    @Test("many questions at once are all answered")
    func atOnce() async throws {
        try await NameServer.with((0..<50).map { "n\($0) TXT \"\($0)\"" }.joined(separator: "\n")) { server in
            let found = TextRecords(servers: server.address)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        try await found.expect(["\(number)"], at: "n\(number).maple.example")
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

extension TextRecords {
    fileprivate func expect(_ texts: [String], at name: String) async throws {
        let found = try await find(at: name).sorted()
        #expect(found == texts, "\(name)")
    }
}

extension Error {
    fileprivate var isNoAnswer: Bool {
        if case .noAnswer = self as? TextRecordFailure { true } else { false }
    }
}
