import Foundation
import SingleSignOnWire
import Testing

@testable import DeviceCommands

@Suite("Native messaging")
struct NativeHostTests {
    private static func frame(_ message: [UInt8], saying count: Int? = nil) -> [UInt8] {
        withUnsafeBytes(of: UInt32(count ?? message.count)) { Array($0) } + message
    }

    /// What is read when a browser has written `bytes` and gone.
    private static func frames(_ bytes: [UInt8]) async -> [NativeFrame] {
        let pipe = Pipe()
        let writer = pipe.fileHandleForWriting
        Thread.detachNewThread {
            try? writer.write(contentsOf: Data(bytes))
            try? writer.close()
        }
        var frames: [NativeFrame] = []
        for await frame in NativeInput.frames(of: pipe.fileHandleForReading.fileDescriptor) { frames.append(frame) }
        return frames
    }

    @Test("Frames arrive one after the other, empty ones too")
    func several() async {
        let bytes = Self.frame([1, 2, 3]) + Self.frame([]) + Self.frame([4])
        #expect(await Self.frames(bytes) == [.message([1, 2, 3]), .message([]), .message([4])])
    }

    @Test("One that is too long is read over, and the next one is understood")
    func tooLong() async {
        let long = [UInt8](repeating: 7, count: NativeFrame.inputBytesMax + 1)
        #expect(await Self.frames(Self.frame(long) + Self.frame([1])) == [.tooLong(bytes: long.count), .message([1])])
    }

    @Test("Half a frame, or a length that no browser sends, is the end")
    func ends() async {
        #expect(await Self.frames(Self.frame([1, 2], saying: 3)) == [])
        #expect(await Self.frames([1, 2]) == [])
        #expect(await Self.frames(Self.frame([1], saying: 65 << 20) + Self.frame([1])) == [])
    }

    @Test("Questions are understood by their type")
    func questions() throws {
        func question(_ json: String) throws -> NativeQuestion.Content {
            try JSONDecoder().decode(NativeQuestion.self, from: Data(json.utf8)).content
        }
        let hello = try question(#"{"id":1,"type":"hello","version":1}"#)
        guard case .hello(1) = hello else {
            Issue.record("\(hello)")
            return
        }
        let request = try question(#"{"id":2,"type":"request","url":"https://a.test/"}"#)
        guard case .request(let navigation) = request else {
            Issue.record("\(request)")
            return
        }
        #expect(navigation.url == "https://a.test/")
        let cancel = try question(#"{"id":3,"type":"cancel","request":2}"#)
        guard case .cancel(2) = cancel else {
            Issue.record("\(cancel)")
            return
        }
        let answer = try question(
            #"{"id":4,"type":"answer","presentation":"p","action":"submit","values":{"user":"ana"}}"#)
        guard case .answer(let presentation, .submitted(let values)) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(presentation == "p" && values == ["user": "ana"])
        for unknown in [
            #"{"id":1,"type":"dance"}"#, #"{"type":"rules"}"#,
            #"{"id":1,"type":"answer","presentation":"p","action":"wave"}"#,
        ] {
            #expect(throws: DecodingError.self) { try question(unknown) }
        }
    }

    @Test("Answers carry their question's id and what their type needs, and nothing else")
    func answers() throws {
        func json(_ content: NativeAnswer.Content) throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(NativeAnswer(id: 5, content: content)), as: UTF8.self)
        }
        #expect(
            try json(.rules(["https://a.test/"], more: false))
                == #"{"id":5,"more":false,"type":"rules","urls":["https://a.test/"]}"#)
        #expect(try json(.done) == #"{"id":5,"type":"done"}"#)
        #expect(
            try json(.unavailable(.noBroker, detail: "why"))
                == #"{"detail":"why","id":5,"reason":"noBroker","type":"unavailable"}"#)
    }
}
