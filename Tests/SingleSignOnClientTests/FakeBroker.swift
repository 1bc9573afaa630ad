import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A server on a Unix socket, or a web site on a port, that sends what a test wants, complete or broken. The real
/// broker is tested end to end.
final class FakeBroker: Sendable {
    enum Ending: Sendable {
        case close
        /// Sends nothing more and waits until the caller disconnects.
        case hold
    }

    let path: String
    private let socket: Int32
    private let received = Mutex<[String]>([])
    private let gone = Mutex(0)

    /// - Parameter answer: returns the response to a complete request, as bytes of HTTP.
    init(isSite: Bool = false, _ answer: @escaping @Sendable (String) -> (text: String, ending: Ending)) throws {
        path = isSite ? "" : "\(NSTemporaryDirectory())/broker-\(UInt32.random(in: .min ... .max)).sock"
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        socket = Glibc.socket(isSite ? AF_INET : AF_UNIX, kind, 0)
        guard isSite ? Self.bindToPort(socket) : Self.bind(socket, to: path), listen(socket, 64) == 0 else {
            throw POSIXError(.EADDRINUSE)
        }
        let socket = socket
        Thread.detachNewThread { [weak self] in
            // Only the accepting thread closes the socket. If another did, the descriptor could be reused before
            // `accept` is called, and this broker would take another one's connections.
            defer { close(socket) }
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { [weak self] in
                    defer { close(connection) }
                    guard let request = Self.readRequest(connection) else { return }
                    self?.received.withLock { $0.append(request) }
                    let (text, ending) = answer(request)
                    Self.write(text, to: connection)
                    guard ending == .hold else { return }
                    var byte: UInt8 = 0
                    while recv(connection, &byte, 1, 0) > 0 {}
                    self?.gone.withLock { $0 += 1 }
                }
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        unlink(path)
    }

    /// A loopback port on which no process listens at the moment.
    static func freePort() throws -> Int {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        guard bindToPort(socket) else { throw POSIXError(.EADDRINUSE) }
        return port(of: socket)
    }

    private static func bind(_ socket: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(socket, $0, size) == 0 }
        }
    }

    /// Binds to a free loopback port.
    private static func bindToPort(_ socket: Int32) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(socket, $0, size) == 0 }
        }
    }

    /// The port of a web site.
    var port: Int { Self.port(of: socket) }

    private static func port(of socket: Int32) -> Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout.size(ofValue: address))
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// The requests that have arrived, each complete.
    var requests: [String] { received.withLock { $0 } }
    /// The number of callers that have disconnected while they were held.
    var callersGone: Int { gone.withLock { $0 } }

    static func json(_ text: String, status: Int = 200) -> (text: String, ending: Ending) {
        page(text, status: status, ["Content-Type: application/json"])
    }

    static func page(_ text: String, status: Int = 200, _ headers: [String] = []) -> (text: String, ending: Ending) {
        let head = ["HTTP/1.1 \(status) X", "Content-Length: \(text.utf8.count)", "Connection: close"] + headers
        return (head.joined(separator: "\r\n") + "\r\n\r\n\(text)", .close)
    }

    /// A stream of JSON lines without the last chunk: the connection stays open, or ends too early.
    static func lines(_ lines: [String], _ ending: Ending) -> (text: String, ending: Ending) {
        let chunks = lines.map { line in "\(String(line.utf8.count + 1, radix: 16))\r\n\(line)\n\r\n" }
        return (
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
                + chunks.joined(), ending
        )
    }

    private static func readRequest(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let length = text.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) }
                if text[end.upperBound...].utf8.count >= length ?? 0 { return text }
            }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
    }

    private static func write(_ text: String, to connection: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// Waits up to five seconds for a condition that another task or process brings about.
/// - Returns: whether it was met.
func eventually(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<500 {
        if condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return false
}
