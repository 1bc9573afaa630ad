import Logging
import Testing
@testable import ServerHTTP
@testable import TestServers

@Suite struct PrintableLogHandlerTests {
    @Test("what a client sent cannot begin a line of its own, nor turn the text around")
    func control() {
        let recorder = LogRecorder()
        var logger = Logger(label: "test") { _ in PrintableLogHandler(recorder.logger.handler) }
        logger[metadataKey: "kept"] = "a\rb"
        logger.notice(
            "one\ntwo",
            metadata: [
                "reason": "x\n2026-01-01 notice forged", "list": ["\u{1b}[2J", ["in": "\u{2028}"]],
                "value": .stringConvertible(Name()), "plain": "Müller 山田 \\ 100 %",
            ])
        let line = recorder.lines[0]
        #expect(line.message == #"one\u{a}two"#)
        #expect(line.metadata["kept"] == #"a\u{d}b"#)
        #expect(line.metadata["reason"] == #"x\u{a}2026-01-01 notice forged"#)
        #expect(line.metadata["value"] == #"\u{202e}\u{85}\u{7f}\u{0}"#)
        #expect(line.metadata["plain"] == "Müller 山田 \\ 100 %")
        let everything = line.metadata.values.joined()
        #expect(everything.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x2028...0x202e).contains($0.value) })
    }

    private struct Name: CustomStringConvertible, Sendable {
        var description: String { "\u{202e}\u{85}\u{7f}\0" }
    }
}
