import Authorization
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import ServerHTTP
@testable import TestServers

/// Forms whose senders do not say how long they are.
@Suite struct UploadTests {
    private static let start = """
        --b\r
        Content-Disposition: form-data; name="csrf_token"\r
        \r
        secret\r
        --b\r
        Content-Disposition: form-data; name="files"; filename="a.zip"\r
        \r\n
        """

    /// A body that goes on for ever, and how much of it was read.
    private final class Endless: AsyncSequence, AsyncIteratorProtocol, @unchecked Sendable {
        typealias Element = ByteBuffer

        private(set) var bytes = 0

        func makeAsyncIterator() -> Endless { self }

        func next() async throws -> ByteBuffer? {
            let piece = bytes == 0 ? ByteBuffer(string: UploadTests.start) : ByteBuffer(repeating: 0x61, count: 1_024)
            bytes += piece.readableBytes
            return piece
        }
    }

    @Test("a file without an end is read up to the limit of the form, and refused")
    func endless() async throws {
        let body = Endless()
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "a", path: "/",
            headerFields: [.contentType: "multipart/form-data; boundary=b"])
        let upload = try Upload(Request(head: head, body: RequestBody(asyncSequence: body)), bytesMax: 100_000)
        #expect(try await upload.fields()["csrf_token"] == "secret")
        var taken = 0
        await #expect(throws: Upload.Failure.self) {
            try await upload.files(begin: { _ in }, append: { taken += $0.count }, end: {})
        }
        #expect(taken > 90_000 && taken <= 100_000)
        #expect(body.bytes <= 100_000 + 1_024)
    }
}
