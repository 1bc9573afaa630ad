import Glibc
import NIOCore

/// The socket at which clients connect. Whoever holds it, or a copy of its descriptor, keeps the connections that nobody has accepted
/// yet: so systemd can hold it while the server is started anew.
package struct ListeningSocket: Sendable {
    package let descriptor: Int32
    package let port: Int

    /// How many connections wait to be accepted at most; the kernel's own limit (`net.core.somaxconn`) applies too. Beyond it a client
    /// tries again after a second.
    static let backlog: Int32 = 4_096

    /// Begins to listen.
    /// - Parameter port: 0 for one that is free.
    /// - Throws: `SocketAddressError` if the host has no address, `IOError` if the system refuses the address.
    package init(host: String, port: Int) throws {
        let address = try SocketAddress.makeAddressResolvingHost(host, port: port)
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(Int32(address.protocol.rawValue), Int32(kind), 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        // A server that was killed leaves connections behind, which keep its port for a minute.
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        guard address.withSockAddr({ bind(descriptor, $0, socklen_t($1)) }) == 0,
            listen(descriptor, Self.backlog) == 0, let own = Self.address(of: descriptor)
        else {
            let error = IOError(errnoCode: errno, reason: "bind")
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.port = own.port ?? port
    }

    /// Takes over a socket that was opened before, if it listens at this address.
    /// - Parameter descriptor: stays open if the result is nil.
    package init?(_ descriptor: Int32, host: String, port: Int) {
        var isListening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0, isListening != 0,
            let own = Self.address(of: descriptor),
            let wanted = try? SocketAddress.makeAddressResolvingHost(host, port: port), own == wanted
        else { return nil }
        self.descriptor = descriptor
        self.port = port
    }

    private static func address(of descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes in
            let generic = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            guard getsockname(descriptor, generic, &length) == 0 else { return nil }
            switch Int32(generic.pointee.sa_family) {
            case AF_INET: return SocketAddress(bytes.load(as: sockaddr_in.self))
            case AF_INET6: return SocketAddress(bytes.load(as: sockaddr_in6.self))
            default: return nil
            }
        }
    }
}
