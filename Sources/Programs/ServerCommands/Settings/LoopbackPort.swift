import Foundation

/// Finds a free port on 127.0.0.1.
enum LoopbackPort {
    /// The preferred port if it is free, otherwise one that the system chooses.
    static func free(preferring port: Int) -> Int { bound(to: port) ?? bound(to: 0) ?? port }

    /// `SOCK_STREAM`. Under that name Swift has it in the module of whichever C library is read first, which this file would have to
    /// import.
    private static let streams: Int32 = 1

    private static func bound(to port: Int) -> Int? {
        let handle = socket(AF_INET, streams, 0)
        guard handle >= 0 else { return nil }
        defer { close(handle) }
        var reuse: Int32 = 1
        setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(handle, address, length) == 0, getsockname(handle, address, &length) == 0 else { return nil }
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int(in_port_t(bigEndian: $0.pointee.sin_port))
                }
            }
        }
    }
}
