import NameServers
import WebClient

#if canImport(Glibc)
    import Glibc
#endif

/// How the bytes of a ``DirectoryConnection`` come and go. All calls block, for a time that is limited.
protocol DirectoryStream: AnyObject {
    /// Whether nobody on the way can read what is sent.
    var isEncrypted: Bool { get }
    /// - Returns: how many of the bytes were sent, one at least.
    func send(_ bytes: ArraySlice<UInt8>, within limit: Duration) throws -> Int
    /// - Returns: the next bytes; none if the server has hung up.
    func receive(atMost most: Int, within limit: Duration) throws -> [UInt8]
}

extension TLSStream: DirectoryStream {
    var isEncrypted: Bool { true }
}

/// A connection by TCP alone.
final class SocketStream: DirectoryStream {
    private let socket: Int32
    let isEncrypted = false

    /// - Throws: ``DirectoryConnection/Failure``
    init(_ address: SocketAddress, within limit: Duration) throws {
        socket = Glibc.socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw DirectoryConnection.Failure(description: "there is no socket") }
        limitNextStep(to: limit)
        guard address.withPointer({ connect(socket, $0, $1) }) == 0 else { throw Self.failure() }
    }

    deinit { if socket >= 0 { close(socket) } }

    func send(_ bytes: ArraySlice<UInt8>, within limit: Duration) throws -> Int {
        limitNextStep(to: limit)
        let count = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { throw Self.failure() }
        return count
    }

    func receive(atMost most: Int, within limit: Duration) throws -> [UInt8] {
        limitNextStep(to: limit)
        var bytes = [UInt8](repeating: 0, count: most)
        let received = recv(socket, &bytes, most, 0)
        guard received >= 0 else { throw Self.failure() }
        return Array(bytes.prefix(received))
    }

    /// - Parameter limit: at least a millisecond; none would mean that there is no limit.
    private func limitNextStep(to limit: Duration) {
        let (seconds, attoseconds) = limit.components
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    private static func failure() -> DirectoryConnection.Failure {
        // The kernel's words for a step that has not ended in time say something else.
        errno == EAGAIN || errno == EINPROGRESS
            ? DirectoryConnection.tooLong : DirectoryConnection.Failure(description: String(cString: strerror(errno)))
    }
}
