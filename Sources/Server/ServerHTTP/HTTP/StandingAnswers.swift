import HTTPTypes
import Hummingbird
import NIOCore

/// An answer that is complete before somebody asks.
struct StandingAnswer: Sendable {
    let status: HTTPResponse.Status
    /// All headers but those that each answer gets anew: `Date` and `X-Request-Id`.
    let fields: HTTPFields
    let body: ByteBuffer

    init(status: HTTPResponse.Status = .ok, _ fields: HTTPFields, body: ByteBuffer = ByteBuffer()) {
        var fields = fields
        // No header is sent twice: the route of the same answer passes through ``SecurityHeaders`` once more, which adds what is missing.
        SecurityHeaders.add(to: &fields)
        fields[.contentLength] = String(body.readableBytes)
        self.status = status
        self.fields = fields
        self.body = body
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
    private var sources: [String: @Sendable (HTTPRequest) -> StandingAnswer?] = [:]

    /// - Parameter answer: returns nil if the answer has to be made first.
    mutating func add(_ path: String, _ answer: @escaping @Sendable (HTTPRequest) -> StandingAnswer?) {
        sources[path] = answer
    }

    /// Adds an answer with its route.
    mutating func serve(
        _ path: String, on router: some RouterMethods<AppContext>,
        _ answer: @escaping @Sendable (HTTPRequest) throws -> StandingAnswer
    ) {
        // If it cannot be made, the route says why.
        add(path) { try? answer($0) }
        router.get(RouterPath(path)) { request, _ in Response(try answer(request.head)) }
    }

    /// - Returns: nil if the request has to go on to its route.
    func answer(to request: HTTPRequest) -> StandingAnswer? {
        guard request.method == .get || request.method == .head, let path = request.path, let source = sources[path],
            !request.headerFields.contains(.contentLength), !request.headerFields.contains(.transferEncoding)
        else { return nil }
        return source(request)
    }
}
