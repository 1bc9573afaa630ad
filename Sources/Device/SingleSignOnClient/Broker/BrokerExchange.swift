import NIOCore
import NIOHTTP1
import NIOPosix

/// One request to the broker, on a connection of its own: closing it tells the broker that the answer is no longer
/// wanted.
struct BrokerExchange: Sendable {
    let socketPath: String
    let method: HTTPMethod
    let path: String
    /// The JSON of the request's body.
    let body: ByteBuffer?
    /// The time limit for the head of the answer; the body has none.
    let headWithin: TimeAmount

    /// The connection ended before the answer was complete.
    struct Ended: Error {}

    private static let refusalBytesMax = 64 << 10

    /// - Parameter receive: called with each piece of the body of a successful answer.
    /// - Throws: ``BrokerRefusal``, ``Ended``, ``TimeIsOver``, and what the connection throws.
    func run(_ receive: (ByteBuffer) throws -> Void) async throws {
        let connection = try await connect()
        // A timer of the event loop instead of ``withTimeLimit(_:_:)``: the same loop over `parts` reads the body,
        // which has no limit.
        let limit = connection.channel.eventLoop.scheduleTask(in: headWithin) {
            connection.channel.pipeline.fireErrorCaught(TimeIsOver())
        }
        defer { limit.cancel() }
        try await connection.executeThenClose { parts, writer in
            // All parts in one write: if the end followed by itself, the broker might have answered and closed the
            // connection already.
            try await writer.write(contentsOf: request)
            var refusal: (status: Int, text: ByteBuffer)?
            for try await part in parts {
                switch part {
                case .head(let head):
                    limit.cancel()
                    if !(200..<300).contains(head.status.code) { refusal = (Int(head.status.code), ByteBuffer()) }
                case .body(let piece):
                    guard refusal != nil else {
                        try receive(piece)
                        continue
                    }
                    refusal?.text.writeImmutableBuffer(piece)
                    let length = refusal?.text.readableBytes ?? 0
                    guard length <= Self.refusalBytesMax else {
                        throw NIOTooManyBytesError(maxBytes: Self.refusalBytesMax)
                    }
                case .end:
                    if let refusal { throw BrokerRefusal(status: refusal.status, body: refusal.text.data) }
                    return
                }
            }
            try Task.checkCancellation()
            throw Ended()
        }
    }

    private func connect() async throws -> NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(1))
            .connect(unixDomainSocketPath: socketPath) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
    }

    private var request: [HTTPClientRequestPart] {
        var headers: HTTPHeaders = ["host": "localhost"]
        if body != nil { headers.add(name: "content-type", value: "application/json") }
        if method == .POST { headers.add(name: "content-length", value: "\(body?.readableBytes ?? 0)") }
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
        return [.head(head)] + (body.map { [.body(.byteBuffer($0))] } ?? []) + [.end(nil)]
    }
}

/// The time limit has passed.
package struct TimeIsOver: Error {}

/// Cancels the work after `time`, and throws ``TimeIsOver``. The work has to react to cancellation.
package func withTimeLimit<Value: Sendable>(
    _ time: TimeAmount, _ work: @Sendable @escaping () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(nanoseconds: UInt64(time.nanoseconds))
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let value = first else { throw TimeIsOver() }
        return value
    }
}
