import Glibc
import NIOCore
import ServerHTTP
import Testing

@testable import TestServers

@Suite struct ListeningSocketTests {
    @Test("a socket is taken over where it listens at the address that is wanted")
    func takesOver() throws {
        for host in ["127.0.0.1", "::1"] {
            let socket = try ListeningSocket(host: host, port: 0)
            defer { close(socket.descriptor) }
            #expect(socket.port > 0)
            let taken = ListeningSocket(socket.descriptor, host: host, port: socket.port)
            #expect(taken?.descriptor == socket.descriptor && taken?.port == socket.port)
            for (otherHost, port) in [
                ("127.0.0.2", socket.port), (host, socket.port % 65_535 + 1), ("0.0.0.0", socket.port),
            ] {
                #expect(ListeningSocket(socket.descriptor, host: otherHost, port: port) == nil, "\(otherHost) \(port)")
            }
        }
    }

    @Test("what is no listening socket is not taken over")
    func others() throws {
        let file = open("/dev/null", O_RDONLY)
        let unconnected = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { for descriptor in [file, unconnected] { close(descriptor) } }
        for descriptor in [file, unconnected, 9_999] {
            #expect(ListeningSocket(descriptor, host: "127.0.0.1", port: 0) == nil)
        }
    }

    @Test("an address that another program has, or nobody knows, is refused as the system says it")
    func refused() throws {
        let first = try ListeningSocket(host: "127.0.0.1", port: 0)
        defer { close(first.descriptor) }
        #expect { try ListeningSocket(host: "127.0.0.1", port: first.port) } throws: {
            ($0 as? IOError)?.errnoCode == EADDRINUSE
        }
        #expect { try ListeningSocket(host: "192.0.2.1", port: 0) } throws: {
            ($0 as? IOError)?.errnoCode == EADDRNOTAVAIL
        }
        #expect { try ListeningSocket(host: "nowhere.invalid", port: 0) } throws: {
            $0 is SocketAddressError.UnknownHost
        }
    }
}
