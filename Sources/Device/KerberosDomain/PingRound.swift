import Ground
import NameServers

#if canImport(Glibc)
    import Glibc
#endif

/// Asks several domain controllers at once for their description, and takes the first valid answer. It keeps the thread
/// waiting.
struct PingRound {
    /// A controller's socket, and the number of the question.
    private struct Asked {
        let descriptor: Int32
        let number: Int32
    }

    let domain: String
    let surroundings: Surroundings
    /// How long to wait for answers before controllers are asked once more, and how often they are asked.
    let patience: Duration
    let attempts: Int

    func first(of addresses: [SocketAddress]) -> DomainControllerDescription? {
        var asked = addresses.compactMap(open)
        defer { for one in asked { close(one.descriptor) } }
        for _ in 0..<attempts where !asked.isEmpty {
            for one in asked { send(one) }
            if let answer = wait(&asked) { return answer }
        }
        return nil
    }

    /// A socket to one address, from which alone it receives: the system drops what others send.
    private func open(_ address: SocketAddress) -> Asked? {
        let descriptor = socket(address.family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0, address.withPointer({ connect(descriptor, $0, $1) }) == 0
        else {
            close(descriptor)
            return nil
        }
        // Who cannot see the question cannot guess its number, and so cannot answer in the controller's name.
        let number = surroundings.randomBytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Asked(descriptor: descriptor, number: Int32(number & 0x7fff_ffff))
    }

    private func send(_ asked: Asked) {
        let question = LDAPPing.question(domain: domain, number: asked.number)
        // A failure is like a datagram that is lost.
        _ = question.withUnsafeBytes {
            Glibc.send(asked.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Waits for `patience` at most. Takes away those where nothing listens.
    private func wait(_ asked: inout [Asked]) -> DomainControllerDescription? {
        let watch = Stopwatch()
        while !asked.isEmpty {
            let left = patience - watch.elapsed
            guard left > .zero else { return nil }
            var polled = asked.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
            let ready = poll(&polled, nfds_t(polled.count), Int32(clamping: milliseconds + 1))
            guard ready > 0 else { continue }
            var silent: Set<Int32> = []
            for (one, state) in zip(asked, polled) where state.revents != 0 {
                guard let datagram = receive(one.descriptor) else {
                    silent.insert(one.descriptor)
                    close(one.descriptor)
                    continue
                }
                if let answer = LDAPPing.answer(datagram, domain: domain, number: one.number) {
                    asked.removeAll { silent.contains($0.descriptor) }
                    return answer
                }
            }
            asked.removeAll { silent.contains($0.descriptor) }
        }
        return nil
    }

    /// - Returns: nil if nothing listens there.
    private func receive(_ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count < 0 { return errno == EAGAIN || errno == EINTR ? [] : nil }
        return Array(bytes.prefix(count))
    }
}
