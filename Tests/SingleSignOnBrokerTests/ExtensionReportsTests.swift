import Foundation
import NIOCore
import NIOEmbedded
import SingleSignOnWire
import Synchronization
import Testing

@testable import SingleSignOnBroker

/// What an extension writes to its socket and its outputs.
@Suite struct ExtensionReportsTests {
    private final class Kept: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func append(_ line: String) { lines.withLock { $0.append(line) } }

        func append(_ event: ExtensionProcess.Event) {
            switch event {
            case .report(.ready(let version)): append("ready \(version)")
            case .report: append("report")
            case .nonsense(let what): append(what)
            case .ended: append("ended")
            }
        }
    }

    /// - Returns: the events for bytes that arrive in these parts, and then the end of the connection.
    private func events(_ parts: [ByteBuffer]) throws -> [String] {
        let kept = Kept()
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([
            ByteToMessageHandler(ReportDecoder()), ReportHandler { kept.append($0) },
        ])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        for part in parts where channel.isActive { try channel.writeInbound(part) }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return kept.all
    }

    private func frame(_ text: String, length: Int? = nil) -> ByteBuffer {
        var frame = ByteBuffer(integer: UInt32(length ?? text.utf8.count))
        frame.writeString(text)
        return frame
    }

    private func ready() throws -> ByteBuffer {
        frame(String(decoding: try JSONEncoder().encode(ExtensionReport.ready(version: 7)), as: UTF8.self))
    }

    @Test func `messages are told apart by their length, however they arrive`() throws {
        var both = try ready()
        var second = try ready()
        both.writeBuffer(&second)
        #expect(try events([both]) == ["ready 7", "ready 7", "ended"])
        let bytes = both.readableBytesView.map { ByteBuffer(bytes: [$0]) }
        #expect(try events(bytes) == ["ready 7", "ready 7", "ended"])
        #expect(try events([ByteBuffer(both.readableBytesView.dropLast())]) == ["ready 7", "ended"])
    }

    @Test func `what is no message of the protocol is told, and those after it are read`() throws {
        let nonsense = "a message that is none of the protocol's"
        #expect(try events([frame("{}"), frame("x"), ready()]) == [nonsense, nonsense, "ready 7", "ended"])
    }

    @Test func `a message that is too large ends the connection before it has arrived`() throws {
        let max = Int(ExtensionProtocol.messageBytesMax)
        #expect(try events([frame("{", length: max), ready()]) == ["ended"], "it is waited for")
        let tooLarge = "a message of \(max + 1) bytes; at most \(max) are taken"
        #expect(try events([frame("{", length: max + 1), ready()]) == [tooLarge, "ended"])
    }

    @Test func `lines are put together, cut, and told at the end if they have none`() throws {
        let kept = Kept()
        let channel = EmbeddedChannel(handler: ExtensionLogHandler { kept.append($0) })
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        for part in ["one\n\ntw", "o\n", String(repeating: "x", count: 1_500), "\nlast"] {
            try channel.writeInbound(ByteBuffer(string: part))
        }
        #expect(kept.all == ["one", "two", String(repeating: "x", count: 1_000)])
        _ = try channel.finish()
        #expect(kept.all.last == "last" && kept.all.count == 4)
    }
}
