import Foundation
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

/// `GET /v1/match` without concurrency, for those that must know at once: it takes a few hundred microseconds, and a second
/// at most.
enum BlockingMatch {
    /// - Returns: nil if there is no broker, or no answer in time.
    static func ask(socketPath: String, url: String, responseCode: Int) -> BrokerMatch? {
        guard let socket = Socket(path: socketPath) else { return nil }
        // A server of HTTP/1.0 sends the body in one piece and then closes.
        let request =
            "GET \(BrokerClient.matchPath(url: url, responseCode: responseCode)) HTTP/1.0\r\nHost: localhost\r\n\r\n"
        guard socket.send(Array(request.utf8)), let answer = socket.receiveAll() else { return nil }
        let end = Data("\r\n\r\n".utf8)
        guard let head = answer.range(of: end) else { return nil }
        let status = answer[..<head.lowerBound].prefix { $0 != UInt8(ascii: "\r") }.split(separator: UInt8(ascii: " "))
        guard status.count >= 2, status[1].elementsEqual("200".utf8) else { return nil }
        return try? JSONDecoder().decode(BrokerMatch.self, from: answer[head.upperBound...])
    }
}

/// A connected stream socket whose calls wait no longer than a second in all.
private final class Socket {
    private let descriptor: Int32
    private let deadline = ContinuousClock.now + .seconds(1)
    private static let answerBytesMax = 256 << 10

    init?(path: String) {
        var address = sockaddr_un()
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return nil }
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        // A Unix socket connects at once, or its queue is full.
        guard status == 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard wait(for: POLLOUT) else { return false }
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Everything up to the end of the connection.
    func receiveAll() -> Data? {
        var data = Data()
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while data.count <= Self.answerBytesMax {
            guard wait(for: POLLIN) else { return nil }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return data }
            data.append(contentsOf: chunk[..<count])
        }
        return nil
    }

    private func wait(for event: Int32) -> Bool {
        while true {
            let left = (deadline - .now).components
            let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
            guard milliseconds > 0 else { return false }
            var question = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = poll(&question, 1, Int32(milliseconds))
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
    }
}
