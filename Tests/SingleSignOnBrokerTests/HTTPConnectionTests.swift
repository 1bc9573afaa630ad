import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import SingleSignOnBroker

@Suite struct HTTPConnectionTests {
    /// A connection whose clock the test moves, and the requests that have arrived on it.
    final class Connection {
        let channel = EmbeddedChannel()
        private(set) var exchanges: [HTTPExchange] = []
        private var nextTurn: [() -> Void] = []

        /// - Parameter serve: called with each request as soon as it is served.
        init(serve: @escaping (HTTPExchange) -> Void = { _ in }) throws {
            try HTTPConnectionHandler.add(
                to: channel, bodyMax: 10, peer: nil, nextTurn: { self.nextTurn.append($0) }
            ) { exchange in
                self.exchanges.append(exchange)
                serve(exchange)
            }
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

        func receive(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

        /// Runs what was put off until now.
        func turn() {
            let bodies = nextTurn
            nextTurn = []
            for body in bodies { body() }
        }

        func setWritable(_ isWritable: Bool) {
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
        }

        func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

        /// All bytes that were sent since the last call.
        func sent() throws -> String {
            var text = ""
            while let part = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: part) }
            return text
        }
    }

    @Test(arguments: ["", "GET /v1/sta", "POST /v1/requests HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"])
    func `a caller that does not say what it wants is not waited for`(beginning: String) throws {
        let connection = try Connection()
        try connection.receive(beginning)
        connection.pass(HTTPConnectionHandler.patience - .seconds(1))
        #expect(connection.channel.isActive)
        connection.pass(.seconds(2))
        #expect(!connection.channel.isActive)
        #expect(connection.exchanges.isEmpty)
    }

    @Test func `to say it letter by letter wins no time`() throws {
        let connection = try Connection()
        for letter in "GET /v1/status" where connection.channel.isActive {
            try connection.receive(String(letter))
            connection.pass(.seconds(5))
        }
        #expect(!connection.channel.isActive)
    }

    @Test func `an answer may take as long as it does, and then the next request is waited for`() throws {
        let connection = try Connection()
        for number in 1...3 {
            try connection.receive("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
            let exchange = try #require(connection.exchanges.last)
            #expect(exchange.path == "/\(number)")
            connection.pass(.minutes(10))
            #expect(connection.channel.isActive)
            exchange.line(ByteBuffer(string: "one\n"))
            connection.pass(.minutes(10))
            exchange.lastLine(ByteBuffer(string: "two\n"))
            let sent = try connection.sent()
            #expect(sent.contains("one\n") && sent.contains("two\n") && sent.hasSuffix("0\r\n\r\n"))
            connection.pass(HTTPConnectionHandler.patience - .seconds(1))
            #expect(connection.channel.isActive)
        }
        connection.pass(.seconds(2))
        #expect(!connection.channel.isActive)
    }

    private static func requests(_ paths: String...) -> String {
        paths.map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
    }

    @Test func `of requests in a row one is served in a turn`() throws {
        let connection = try Connection { $0.lastLine(ByteBuffer(string: "{}\n")) }
        try connection.receive(Self.requests("1", "2", "3", "4"))
        for number in 1...4 {
            #expect(connection.exchanges.map(\.path).last == "/\(number)")
            #expect(connection.exchanges.count == number)
            connection.turn()
        }
        connection.turn()
        #expect(connection.exchanges.count == 4)
        // A request that comes alone does not wait for a turn.
        for number in 5...7 {
            try connection.receive(Self.requests("\(number)"))
            #expect(connection.exchanges.count == number)
        }
    }

    @Test func `requests in a row that are answered later are served one after the other`() throws {
        let connection = try Connection()
        try connection.receive(Self.requests("1", "2", "3"))
        for number in 1...3 {
            connection.turn()
            connection.turn()
            #expect(connection.exchanges.map(\.path).last == "/\(number)")
            #expect(connection.exchanges.count == number)
            connection.exchanges[number - 1].lastLine(ByteBuffer(string: "{}\n"))
        }
    }

    @Test func `whoever does not read answers is not served, until it does`() throws {
        let connection = try Connection { $0.lastLine(ByteBuffer(string: "{}\n")) }
        try connection.receive(Self.requests("1", "2"))
        connection.setWritable(false)
        connection.turn()
        try connection.receive(Self.requests("3"))
        connection.turn()
        #expect(connection.exchanges.count == 1)
        connection.setWritable(true)
        connection.setWritable(false)
        connection.turn()
        #expect(connection.exchanges.count == 1)
        connection.setWritable(true)
        connection.setWritable(true)
        for count in 2...3 {
            connection.turn()
            #expect(connection.exchanges.count == count)
        }
        // A connection that has ended before its turn is not served.
        try connection.receive(Self.requests("4", "5"))
        try connection.channel.close().wait()
        connection.turn()
        #expect(connection.exchanges.count == 4)
    }

    @Test func `a body that is too large is refused when it is its turn`() throws {
        let connection = try Connection { $0.lastLine(ByteBuffer(string: "{}\n")) }
        let large = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n12345678901"
        try connection.receive(Self.requests("1") + large + Self.requests("2"))
        #expect(try !connection.sent().contains("413"))
        connection.turn()
        #expect(try connection.sent().contains("413"))
        connection.turn()
        #expect(connection.exchanges.map(\.path) == ["/1", "/2"])
    }

    @Test func `an answer of one line is no stream`() throws {
        let connection = try Connection()
        try connection.receive("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        try #require(connection.exchanges.last).lastLine(ByteBuffer(string: "{}\n"))
        #expect(try connection.sent().lowercased().contains("content-length: 3"))
    }

    @Test func `what is to be done when a caller goes is done for its present request alone, once`() throws {
        let connection = try Connection()
        var gone: [Int] = []
        for number in 1...3 {
            try connection.receive("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let exchange = try #require(connection.exchanges.last)
            exchange.connection.whenGone { gone.append(number) }
            if number < 3 { exchange.lastLine(ByteBuffer(string: "{}\n")) }
        }
        #expect(gone.isEmpty)
        try connection.channel.close().wait()
        connection.channel.embeddedEventLoop.run()
        #expect(gone == [3])
        try #require(connection.exchanges.last).connection.whenGone { gone.append(4) }
        #expect(gone == [3, 4])
    }

    @Test func `a body that is too large is refused, and a head that is too large ends the connection`() throws {
        let connection = try Connection()
        try connection.receive("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n12345678901")
        #expect(try connection.sent().contains("413"))
        #expect(connection.exchanges.isEmpty)
        let fields = (0..<10).map { "X-\($0): \(String(repeating: "a", count: 10_000))\r\n" }.joined()
        try? connection.receive("GET / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
        #expect(connection.exchanges.isEmpty)
        #expect(!connection.channel.isActive)
    }
}
