import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#endif

/// A connection that sends bytes as they are, for requests that no client library would send.
package enum RawConnection {
    /// Sends a request with `Connection: close` and reads until the server has closed.
    package static func exchange(_ request: String, port: Int) async throws -> String {
        try await with(port: port) { connection in
            try await connection.send(request)
            return try await connection.readToEnd()
        }
    }

    /// Sends as much of a request as the server needs to refuse it, and reads the first line of what it says. It must not
    /// be more: closing a connection with bytes that were not read resets it, which could take the answer with it.
    package static func refusal(of beginning: String, port: Int) async throws -> String {
        try await with(port: port) { connection in
            try await connection.send(beginning)
            return try await connection.read(through: "\r\n")
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
            try await body(Sender(reader: Reader(inbound), outbound: outbound))
        }
    }

    package struct Sender: Sendable {
        fileprivate let reader: Reader
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        package func send(_ text: String) async throws {
            try await outbound.write(ByteBuffer(string: text))
        }

        /// What has come and was not read yet, up to and with the first `mark`; all there was if the other side closes before it.
        package func read(through mark: String) async throws -> String { try await reader.read(through: mark) }

        package func readToEnd() async throws -> String { try await reader.read(through: nil) }
    }

    /// One reader at a time: a channel gives its bytes to a single iterator.
    fileprivate actor Reader {
        private let iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private var text = ""

        init(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) { iterator = inbound.makeAsyncIterator() }

        func read(through mark: String?) async throws -> String {
            var (all, iterator) = (ByteBuffer(string: text), iterator)
            text = ""
            while true {
                let read = String(buffer: all)
                if let mark, let end = read.firstRange(of: mark)?.upperBound {
                    text = String(read[end...])
                    return String(read[..<end])
                }
                guard var part = try await next(of: &iterator) else { return read }
                all.writeBuffer(&part)
            }
        }

        /// The next bytes; nil at the end of the connection. A server that closes while bytes are under way to it
        /// resets the connection, which is an end like any other.
        private func next(
            of iterator: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        ) async throws -> ByteBuffer? {
            do {
                return try await iterator.next(isolation: #isolation)
            } catch let error as IOError where error.errnoCode == ECONNRESET {
                return nil
            }
        }
    }
}
