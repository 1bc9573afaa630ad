import NIOCore
import SingleSignOnWire
import Testing

@testable import SingleSignOnClient

@Suite struct LineBufferTests {
    @Test func `lines come out whole, however the bytes arrive`() throws {
        for size in 1...9 {
            var lines = LineBuffer(bytesMax: 20)
            var found: [String] = []
            let text = Array("one\n\ntwo and three\nfour".utf8)
            for start in stride(from: 0, to: text.count, by: size) {
                let chunk = ByteBuffer(bytes: text[start..<min(start + size, text.count)])
                found += try lines.add(chunk).map { String(buffer: $0) }
            }
            #expect(found == ["one", "two and three"])
            #expect(lines.rest.map { String(buffer: $0) } == "four")
        }
    }

    @Test(arguments: [true, false])
    func `a line that is too long ends the answer`(hasEnd: Bool) {
        var lines = LineBuffer(bytesMax: 20)
        let long = String(repeating: "x", count: 21) + (hasEnd ? "\n" : "")
        #expect(throws: BrokerAnswerUnreadable.self) { _ = try lines.add(ByteBuffer(string: long)) }
    }
}
