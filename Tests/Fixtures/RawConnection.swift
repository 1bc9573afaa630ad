import NIOCore
import NIOPosix

/// A connection that sends bytes as they are, for requests that no client library would send.
package enum RawConnection {
    /// Sends a request with `Connection: close` and reads until the server has closed.
    package static func exchange(_ request: String, port: Int) async throws -> String {
        try await with(port: port) { connection in
            try await connection.send(request)
            return try await connection.readToEnd()
        }
    }

    package static func with<Value: Sendable>(
        port: Int, _ body: @Sendable (Sender) async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(Sender(inbound: inbound, outbound: outbound))
        }
    }

    package struct Sender: Sendable {
        let inbound: NIOAsyncChannelInboundStream<ByteBuffer>
        let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        package func send(_ text: String) async throws {
            try await outbound.write(ByteBuffer(string: text))
        }

        package func readToEnd() async throws -> String {
            var all = ByteBuffer()
            for try await var buffer in inbound { all.writeBuffer(&buffer) }
            return String(buffer: all)
        }
    }
}
