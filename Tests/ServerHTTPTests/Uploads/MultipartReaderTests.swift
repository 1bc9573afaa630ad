import Foundation
import Testing

@testable import ServerHTTP
@testable import TestServers

@Suite struct MultipartReaderTests {
    private static let type = "multipart/form-data; boundary=----WebKitFormBoundaryAbc"
    private static let whole = """
        ------WebKitFormBoundaryAbc\r
        Content-Disposition: form-data; name="csrf_token"\r
        \r
        secret\r
        ------WebKitFormBoundaryAbc\r
        Content-Disposition: form-data; name="files"; filename="a%22b.csv"\r
        Content-Type: text/csv\r
        \r
        one\r
        --two\r
        ------WebKitFormBoundary\r
        \r
        ------WebKitFormBoundaryAbc\r
        Content-Disposition: form-data; name="empty"; filename=""\r
        \r
        \r
        ------WebKitFormBoundaryAbc--\r\n
        """

    private enum Part: Equatable {
        case part(String, String?, String)
    }

    /// What a body has, read in pieces of a size.
    private static func parts(
        _ body: String, in size: Int = .max, type: String = type
    ) throws -> [Part] {
        var reader = try #require(MultipartReader(contentType: type))
        var parts: [Part] = []
        var open: (name: String, file: String?, bytes: [UInt8])?
        let bytes = Array(body.utf8)
        for start in stride(from: 0, to: bytes.count, by: min(size, max(bytes.count, 1))) {
            for event in try reader.read(bytes[start..<min(bytes.count, start + min(size, bytes.count))]) {
                switch event {
                case .part(let name, let file): open = (name, file, [])
                case .bytes(let slice): open?.bytes += slice
                case .endOfPart:
                    let part = try #require(open)
                    parts.append(.part(part.name, part.file, String(decoding: part.bytes, as: UTF8.self)))
                    open = nil
                }
            }
        }
        guard reader.isComplete else { throw MultipartReader.Malformed.incomplete }
        return parts
    }

    @Test("the parts are the same, whatever pieces the body comes in", arguments: [1, 2, 3, 5, 7, 28, 64, 1_000])
    func pieces(_ size: Int) throws {
        #expect(
            try Self.parts(Self.whole, in: size) == [
                .part("csrf_token", nil, "secret"),
                .part("files", "a\"b.csv", "one\r\n--two\r\n------WebKitFormBoundary\r\n"),
                .part("empty", "", ""),
            ])
    }

    @Test("each beginning of a body is one that stops in the middle")
    func incomplete() throws {
        // The last line end may be missing.
        for count in 0..<(Self.whole.utf8.count - 2) {
            let beginning = String(decoding: Self.whole.utf8.prefix(count), as: UTF8.self)
            #expect(throws: MultipartReader.Malformed.incomplete) { try Self.parts(beginning) }
        }
    }

    @Test("a random body of any bytes is read back byte for byte")
    func random() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let alphabet = Array("\r\n-Wb".utf8)
            let content = (0..<Int.random(in: 0...300, using: &generator)).map { _ in alphabet.randomElement()! }
            let body =
                Array("--Wb\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\n".utf8) + content
                + Array("\r\n--Wb--\r\n".utf8)
            // What has the delimiter in it is another body.
            if String(decoding: content, as: UTF8.self).contains("\r\n--Wb") { continue }
            var reader = try #require(MultipartReader(contentType: "multipart/form-data; boundary=\"Wb\""))
            var read: [UInt8] = []
            var rest = body[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...40, using: &generator))
                rest = rest.dropFirst(piece.count)
                for case .bytes(let slice) in try reader.read(piece) { read += slice }
            }
            #expect(read == content && reader.isComplete)
        }
    }

    @Test(
        "other types and boundaries that are none are refused",
        arguments: [
            "", "application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary=",
            "multipart/mixed; boundary=a", "multipart/form-data; boundary=a b", "multipart/form-data; boundary=a\r\nb",
            "multipart/form-data; boundary=\(String(repeating: "a", count: 71))", "multipart/form-data; charset=a",
        ])
    func types(_ type: String) { #expect(MultipartReader(contentType: type) == nil) }

    @Test("bodies that no browser sends are refused")
    func malformed() {
        func refusal(_ body: String) -> MultipartReader.Malformed? {
            do {
                _ = try Self.parts(body, type: "multipart/form-data; boundary=b")
                return nil
            } catch { return error as? MultipartReader.Malformed }
        }
        func part(_ header: String) -> String { "--b\r\n\(header)\r\n\r\nx\r\n--b--" }
        #expect(refusal("preamble\r\n--b--") == .boundary)
        #expect(refusal("--bc\r\n") == .boundary)
        #expect(refusal("--b--\r\nepilogue") == .excess)
        #expect(refusal(part("Content-Type: text/plain")) == .headers)
        #expect(refusal(part("Content-Disposition: form-data")) == .headers)
        #expect(refusal(part("Content-Disposition: attachment; name=\"a\"")) == .headers)
        #expect(refusal(part("Content-Disposition: form-data; name=a")) == .headers)
        #expect(refusal(part("Content-Disposition: form-data; name=\"a\"; name=\"b\"")) == .headers)
        #expect(refusal(part("Content-Disposition: form-data; name=\"a")) == .headers)
        #expect(refusal(part("no colon")) == .headers)
        #expect(refusal("--b\r\n\(String(repeating: "a", count: 9 << 10))") == .longHeaders)
        let many = String(repeating: "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n", count: 101)
        #expect(refusal("\(many)--b--") == .parts)
        #expect(refusal(part("Content-Disposition: form-data; name=\"a\"")) == nil)
    }
}
