import Ground

#if canImport(Glibc)
    import Glibc
#endif

/// What a program that was started says over a socket.
enum ProgramAnswer {
    /// Blocks until the program has said everything.
    /// - Parameter take: gets each part, and returns false if that is enough.
    /// - Returns: false if the time was over before, or the socket cannot be waited for.
    static func read(from socket: Int32, within limit: Duration, _ take: (ArraySlice<UInt8>) -> Bool) -> Bool {
        let watch = Stopwatch()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = limit - watch.elapsed
            guard left > .zero else { return false }
            var wanted = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let (seconds, attoseconds) = left.components
            let ready = poll(&wanted, 1, Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
            guard ready >= 0 || errno == EINTR else { return false }
            guard ready > 0 else { continue }
            let count = recv(socket, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0, take(buffer.prefix(count)) else { return true }
        }
    }
}
