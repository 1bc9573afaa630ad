import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// An answer that is complete before somebody asks.
struct StandingAnswer: Sendable {
    let status: HTTPResponse.Status
    /// All headers but those that each answer gets anew: `Date` and `X-Request-Id`.
    let fields: HTTPFields
    let body: ByteBuffer
    /// Status line and headers as HTTP/1.1 has them, without the empty line at their end. RFC 9112 §2.1.
    let head: ByteBuffer

    init(status: HTTPResponse.Status = .ok, _ fields: HTTPFields, body: ByteBuffer = ByteBuffer()) {
        var fields = fields
        // No header is sent twice: the route of the same answer passes through ``SecurityHeaders`` once more, which adds what is missing.
        SecurityHeaders.add(to: &fields)
        // Where nothing has changed, it would have to be the length of the whole, which is not sent. RFC 9110 §8.6.
        if status != .notModified { fields[.contentLength] = String(body.readableBytes) }
        self.status = status
        self.fields = fields
        self.body = body
        var head = ByteBuffer(string: "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
        for field in fields { head.writeField(field.name.rawName, field.value) }
        self.head = head
    }
}

extension ByteBuffer {
    /// Writes a line of the head of an answer.
    mutating func writeField(_ name: String, _ value: String) {
        writeString(name)
        writeStaticString(": ")
        writeString(value)
        writeStaticString("\r\n")
    }
}

extension Response {
    init(_ answer: StandingAnswer) {
        self.init(status: answer.status, headers: answer.fields, body: ResponseBody(byteBuffer: answer.body))
    }
}

/// Answers that are the same for everybody, by path: whether the server is alive, its keys, files.
///
/// ``StandingAnswerHandler`` gives them on the event loop. Each path has a route besides, which answers alike what comes with a query or
/// a body, and which makes an answer that is not there yet.
struct StandingAnswers: Sendable {
    /// The headers of a request on which an answer may depend.
    static let conditions: [HTTPField.Name] = [.ifNoneMatch, .acceptEncoding]

    private var sources: [String: @Sendable (HTTPFields) -> StandingAnswer?] = [:]

    /// - Parameter answer: gets the headers of a request, or ``conditions`` alone. Returns nil if the answer has to be made first.
    mutating func add(_ path: String, _ answer: @escaping @Sendable (HTTPFields) -> StandingAnswer?) {
        sources[path] = answer
    }

    /// Adds an answer with its route.
    mutating func serve(
        _ path: String, on router: some RouterMethods<AppContext>,
        _ answer: @escaping @Sendable (HTTPFields) throws -> StandingAnswer
    ) {
        // If it cannot be made, the route says why.
        add(path) { try? answer($0) }
        router.get(RouterPath(path)) { request, _ in Response(try answer(request.headers)) }
    }

    /// - Returns: nil if the request has to go on to its route.
    func answer(to head: HTTPRequestHead) -> StandingAnswer? {
        guard head.method == .GET || head.method == .HEAD, let source = sources[head.uri] else { return nil }
        var asked = HTTPFields()
        for (name, value) in head.headers {
            if name.isEqual("content-length") || name.isEqual("transfer-encoding") { return nil }
            for condition in Self.conditions where name.isEqual(condition.canonicalName) {
                asked.append(HTTPField(name: condition, value: value))
            }
        }
        return source(asked)
    }
}

extension String {
    /// Whether it is the name of that header, whose letters are small in `canonicalName`.
    fileprivate func isEqual(_ canonicalName: String) -> Bool {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return utf8.count == canonicalName.utf8.count
            && zip(utf8, canonicalName.utf8).allSatisfy { $0 == $1 || capitals.contains($0) && $0 | 0x20 == $1 }
    }
}
