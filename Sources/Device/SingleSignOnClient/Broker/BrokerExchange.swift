import NIOCore
import NIOHTTP1
import NIOPosix

/// One request to the broker, on a connection of its own: the broker knows by its end that nobody wants the answer any more.
struct BrokerExchange: Sendable {
    let socketPath: String
    let method: HTTPMethod
    let path: String
    /// JSON.
    let body: ByteBuffer?
    /// For the head of the answer; the body has as long as it takes.
    let headWithin: TimeAmount

    /// The connection ended, and the answer was not whole.
    struct Ended: Error {}

    private static let refusalBytesMax = 64 << 10

    /// - Parameter receive: called with each piece of an answer that is no refusal.
    /// - Throws: ``BrokerRefusal``, ``Ended``, ``TimeIsOver``, what the connection throws.
    func run(_ receive: (ByteBuffer) throws -> Void) async throws {
        let connection = try await connect()
        // The loop's own timer: what reads here waits in one place for pieces that have no limit.
        let limit = connection.channel.eventLoop.scheduleTask(in: headWithin) {
            connection.channel.pipeline.fireErrorCaught(TimeIsOver())
        }
        defer { limit.cancel() }
        try await connection.executeThenClose { parts, writer in
            // At once: a broker may have answered, and gone, before an end that is written by itself.
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

/// What was waited for did not come in time.
package struct TimeIsOver: Error {}

/// Ends the work after some time. The work must heed cancellation.
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
