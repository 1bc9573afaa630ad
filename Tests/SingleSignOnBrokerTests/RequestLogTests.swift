import Foundation
import Logging
import NIOCore
import SingleSignOnWire
import Synchronization
import Testing

@testable import SingleSignOnBroker

@Suite struct RequestLogTests {
    private struct Lines: LogHandler {
        final class Count: Sendable { let value = Mutex(0) }
        final class LeftOut: Sendable { let value = Mutex<[String]>([]) }

        let count = Count()
        let leftOut = LeftOut()
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            count.value.withLock { $0 += 1 }
            if let leftOut = event.metadata?["left-out"] { self.leftOut.value.withLock { $0.append("\(leftOut)") } }
        }
    }

    private func entry(_ reason: BrokerReason, _ url: String, caller: String? = "exe:/x") -> BrokerLogEntry {
        BrokerLogEntry(
            BrokerRequest(url: url), caller: caller, BrokerOutcome(.notHandled, reason: reason), detail: nil,
            at: Date(timeIntervalSince1970: 0), milliseconds: 0)
    }

    @Test func `what nothing covers pushes nothing else out`() {
        var log = RequestLog()
        let logger = Logger(label: "test") { _ in Lines() }
        log.append(entry(.callerDenied, "https://a.test/"), to: logger)
        for number in 0..<5_000 { log.append(entry(.notCovered, "https://b.test/\(number)"), to: logger) }
        log.append(entry(.answered, "https://c.test/"), to: logger)
        #expect(log.entries.first?.url == "https://a.test/")
        #expect(log.entries.last?.url == "https://c.test/")
        #expect(log.entries.dropLast().last?.url == "https://b.test/4999")
        #expect(log.entries.count < 300)
        for _ in 0..<5_000 { log.append(entry(.answered, "https://c.test/"), to: logger) }
        #expect(log.entries.count <= 1_250)
    }

    @Test func `a flood is not written line by line`() {
        let lines = Lines()
        let start = NIODeadline.now()
        var log = RequestLog(at: start)
        let logger = Logger(label: "test") { _ in lines }
        for time in [start, start + .seconds(1)] {
            for _ in 0..<1_000 { log.append(entry(.domainNotApproved, "https://a.test/"), to: logger, at: time) }
        }
        #expect(lines.count.value.withLock { $0 } == 40)
        #expect(lines.leftOut.value.withLock { $0 } == ["980"])
    }

    @Test func `listeners may be forgotten, and added, while one is told`() {
        let listeners = Listeners<Int>()
        var heard: [String] = []
        var numbers: [UInt64] = []
        numbers.append(
            listeners.add { value in
                heard.append("first \(value)")
                // It forgets itself and another, as happens when writing shows that a connection has ended.
                for number in numbers.prefix(2) { listeners.forget(number) }
                _ = listeners.add { heard.append("new \($0)") }
            })
        numbers.append(listeners.add { heard.append("second \($0)") })
        numbers.append(listeners.add { heard.append("third \($0)") })
        listeners.tell(1)
        #expect(heard == ["first 1", "third 1"])
        listeners.tell(2)
        #expect(heard == ["first 1", "third 1", "third 2", "new 2"])
    }

    @Test func `an allowance says what it left out`() {
        let start = NIODeadline.now()
        var allowance = Allowance(perSecond: 2, at: start)
        #expect((0..<5).map { _ in allowance.take(at: start) } == [0, 0, nil, nil, nil])
        #expect(allowance.take(at: start + .seconds(1)) == 3)
        #expect(allowance.take(at: start + .seconds(1)) == 0)
    }

    @Test func `what is not known is left out`() throws {
        let json = String(
            decoding: try JSONEncoder().encode(entry(.notCovered, "https://a.test/", caller: nil)), as: UTF8.self)
        #expect(!json.contains("caller") && !json.contains("operation") && !json.contains(":\"\""), "\(json)")
    }

    @Test func `an entry is short, whatever its characters are made of`() {
        let long = "a" + String(repeating: "\u{301}", count: 100_000)
        var request = BrokerRequest(url: "https://a.test/\(long)")
        request.operation = long
        let entry = BrokerLogEntry(
            request, caller: long, BrokerOutcome(.notHandled, reason: .answered, extension: long), detail: long,
            at: Date(timeIntervalSince1970: 0), milliseconds: 0)
        #expect(entry.url.unicodeScalars.count == 300)
        for text in [entry.operation, entry.caller, entry.extension, entry.detail] {
            #expect(text?.unicodeScalars.count == 500)
        }
    }

    @Test func `names that others choose move no cursor`() {
        #expect(entry(.answered, "https://a.test/", caller: "exe:/a\u{1B}[2J").caller == "exe:/a [2J")
    }
}
