// In a build that compiles the module as a whole, the compiler takes the fields of `sockaddr` for those of this library.
import CCares

#if canImport(Glibc)
    import Glibc
#endif

/// An address and port, as functions of sockets take it.
package struct SocketAddress: Hashable, Sendable {
    /// A `sockaddr` of this family.
    private let bytes: [UInt8]

    package init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(length)))
    }

    /// `AF_INET` or `AF_INET6`
    package var family: Int32 { withPointer { address, _ in Int32(address.pointee.sa_family) } }

    /// The address alone, as numbers, such as `192.0.2.1`; nil if it is of another family.
    package var numbers: String? {
        withPointer { address, length in
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                return nil
            }
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// The addresses of a host by the system's resolver, getaddrinfo(3), in the order in which the system would try them; or the address
    /// that the text is. Blocks.
    /// - Parameter host: without brackets.
    /// - Throws: ``Unresolved``
    package static func find(host: String) throws -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &first)
        guard status == 0, let first else { throw Unresolved(reason: String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: \.pointee.ai_next)
            .map { SocketAddress($0.pointee.ai_addr, length: $0.pointee.ai_addrlen) }
    }

    package struct Unresolved: Error {
        /// What gai_strerror(3) says.
        package let reason: String
    }

    package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result) rethrows -> Result {
        // As large as any, so that the memory is there whatever the family is.
        var storage = sockaddr_storage()
        return try withUnsafeMutableBytes(of: &storage) { storage in
            storage.copyBytes(from: bytes.prefix(storage.count))
            return try body(
                storage.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(min(bytes.count, storage.count)))
        }
    }
}
