import CLinux

#if canImport(Glibc)
    import Glibc
#endif

/// A process by a descriptor, which stays with it: its number may be another's as soon as it has ended.
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

    /// Whether it has not ended. Until then nobody else has its number, so what was found out by it is about this one.
    var isAlive: Bool {
        var query = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&query, 1, 0) == 0
    }

    /// - Returns: whether the process was there.
    func signal(_ number: Int32) -> Bool { lanyard_pidfd_send_signal(descriptor, number) == 0 }
}
