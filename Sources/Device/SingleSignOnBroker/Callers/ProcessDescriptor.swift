import CLinux

#if canImport(Glibc)
    import Glibc
#endif

/// A reference to a process (pidfd). Unlike the process's number, it never refers to another process later.
final class ProcessDescriptor: Sendable {
    private let descriptor: Int32

    init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// - Returns: nil if there is no such process now; `errno` says why.
    convenience init?(_ processIdentifier: Int32) {
        let descriptor = lanyard_pidfd_open(processIdentifier)
        guard descriptor >= 0 else { return nil }
        self.init(owning: descriptor)
    }

    deinit { close(descriptor) }

    /// Whether the process has not ended. While it lives no other process has its number, so facts that were read by
    /// the number are about this process.
    var isAlive: Bool {
        var query = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&query, 1, 0) == 0
    }

    /// Sends a signal.
    /// - Returns: false if the process has ended.
    func signal(_ number: Int32) -> Bool { lanyard_pidfd_send_signal(descriptor, number) == 0 }
}
