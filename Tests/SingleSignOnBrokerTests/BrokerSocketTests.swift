import Foundation
import NIOCore
import SingleSignOnWire
import Synchronization
import Testing

@testable import SingleSignOnBroker

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.timeLimit(.minutes(1))) struct BrokerSocketTests {
    private static func kind(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : 0
    }

    /// The umask of this process, from `/proc`: umask(2) cannot read it without changing it.
    private static func mask() throws -> String {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        return status.split(separator: "\n").first { $0.hasPrefix("Umask:") }.map(String.init) ?? ""
    }

    @Test func `the socket is this user's alone, and other files of the process are made as ever meanwhile`()
        async throws
    {
        let before = try Self.mask()
        let isOver = Mutex(false)
        async let watched = {
            var seen: Set<String> = []
            while !isOver.withLock({ $0 }) {
                seen.insert(try Self.mask())
                await Task.yield()
            }
            return seen
        }()
        for _ in 0..<20 {
            let test = try await TestBroker.start("exit 1")
            #expect(Self.kind(test.socket) == S_IFSOCK | 0o600)
            try await test.stop()
        }
        isOver.withLock { $0 = true }
        #expect(try await watched == [before])
    }

    @Test func `a socket that a broker has left is replaced; a file, and one that answers, are not`() async throws {
        let test = try await TestBroker.start("exit 1")
        let answering = await #expect(throws: BrokerService.CannotStart.self) { try await test.listenAgain() }
        #expect(answering?.description == "another broker already answers at \(test.socket)")
        #expect(try await test.ask("https://example.org/").reason == .notCovered)

        // A broker that ends deletes its socket; one that is killed cannot.
        let kept = "\(test.socket).kept"
        #expect(link(test.socket, kept) == 0)
        try await test.close()
        #expect(Self.kind(test.socket) == 0)
        #expect(rename(kept, test.socket) == 0)
        #expect(Self.kind(test.socket) & S_IFMT == S_IFSOCK)
        try await TestBroker.close(test.listenAgain())

        try Data("mine".utf8).write(to: URL(fileURLWithPath: test.socket))
        let inTheWay = await #expect(throws: BrokerService.CannotStart.self) { try await test.listenAgain() }
        #expect(inTheWay?.description == "\(test.socket) cannot be made: Address already in use")
        #expect(FileManager.default.contents(atPath: test.socket) == Data("mine".utf8))
        try await test.stop()
    }

    @Test func `a path that is too long for a socket is refused with its limit`() async throws {
        let test = try await TestBroker.start("exit 1")
        let path = "\(test.socket).\(String(repeating: "x", count: 100))"
        let problem = await #expect(throws: BrokerService.CannotStart.self) { try await test.listenAgain(at: path) }
        #expect(problem?.description == "\(path) is too long for a socket: its path has at most 107 bytes")
        try await test.stop()
    }
}
