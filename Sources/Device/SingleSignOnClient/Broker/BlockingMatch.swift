import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// `GET /v1/match` as a blocking call, for callers that need the answer synchronously. It takes a few hundred
/// microseconds, and one second at most.
enum BlockingMatch {
    /// - Returns: nil if there is no broker, or no answer in time.
    static func ask(socketPath: String, url: String, responseCode: Int) -> BrokerMatch? {
        guard let socket = Socket(path: socketPath) else { return nil }
        let request =
            "GET \(BrokerClient.matchPath(url: url, responseCode: responseCode)) HTTP/1.1\r\nHost: localhost\r\n"
            + "Connection: close\r\n\r\n"
        guard socket.send(Array(request.utf8)), let body = socket.receiveBody() else { return nil }
        return try? JSONDecoder().decode(BrokerMatch.self, from: body)
    }
}

/// A connected stream socket whose calls wait no longer than a second in all.
private final class Socket {
    private let descriptor: Int32
    private let waiting = Stopwatch()
    private static let patience = Duration.seconds(1)
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
        // Connecting a Unix socket never takes time: it succeeds at once, or fails because the broker's queue is full.
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

    /// The body of a response with status 200 and a `Content-Length`, which all the broker's responses have.
    func receiveBody() -> Data? {
        var data = Data()
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while data.count <= Self.answerBytesMax {
            if let end = data.firstRange(of: Data("\r\n\r\n".utf8)) {
                guard let length = Self.bodyLength(String(decoding: data[..<end.lowerBound], as: UTF8.self)) else {
                    return nil
                }
                if data.count - end.upperBound >= length { return data[end.upperBound...].prefix(length) }
            }
            guard wait(for: POLLIN) else { return nil }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return nil }
            data.append(contentsOf: chunk[..<count])
        }
        return nil
    }

    private static func bodyLength(_ head: String) -> Int? {
        let lines = head.lowercased().split(separator: "\r\n", omittingEmptySubsequences: false)
        guard lines[0].split(separator: " ").dropFirst().first == "200" else { return nil }
        return lines.first { $0.hasPrefix("content-length:") }.flatMap {
            Int($0.dropFirst("content-length:".count).trimmingSpaces)
        }.flatMap { $0 < 0 ? nil : $0 }
    }

    private func wait(for event: Int32) -> Bool {
        while true {
            let left = (Self.patience - waiting.elapsed).components
            let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
            guard milliseconds > 0 else { return false }
            var question = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = poll(&question, 1, Int32(milliseconds))
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
    }
}
