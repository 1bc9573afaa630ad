import CCares

#if canImport(Glibc)
    import Glibc
#endif

/// One question, and its answer. It keeps the thread waiting.
final class NameQuestion {
    /// How long a name server may take to answer, in milliseconds; then it is asked once more.
    private static let patience: Int32 = 2_000

    private var channel: ares_channel?
    /// What becomes of the answer.
    private var read: ((NameServers.Answer) throws -> Void)?
    private var addresses: [SocketAddress] = []
    private var result: Result<Void, any Error>?

    init(servers: String?) throws {
        try NameServers.Failure.check(ares_library_init(ARES_LIB_INIT_ALL))
        var options = ares_options()
        options.timeout = Self.patience
        options.tries = 2
        try NameServers.Failure.check(ares_init_options(&channel, &options, Int32(ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES)))
        if let servers { try NameServers.Failure.check(ares_set_servers_ports_csv(channel, servers)) }
    }

    deinit {
        if let channel { ares_destroy(channel) }
        ares_library_cleanup()
    }

    func records<Record>(
        at name: String, of type: NameServers.RecordType, read: @escaping (NameServers.Answer) throws -> [Record]
    ) throws -> [Record] {
        var records: [Record] = []
        self.read = { records = try read($0) }
        let internet = Int32(1)
        ares_query(
            channel, name, internet, type.rawValue,
            { question, status, _, bytes, count in
                guard let question else { return }
                Unmanaged<NameQuestion>.fromOpaque(question).takeUnretainedValue().end(status, bytes, count)
            }, Unmanaged.passUnretained(self).toOpaque())
        try finish()
        return records
    }

    private func end(_ status: Int32, _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int32) {
        result = Result {
            try NameServers.Failure.check(status)
            try read?(NameServers.Answer(bytes: bytes, count: count))
        }
    }

    func addresses(of host: String, port: UInt16) throws -> [SocketAddress] {
        var hints = ares_addrinfo_hints()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        hints.ai_flags = Int32(ARES_AI_NUMERICSERV)
        ares_getaddrinfo(
            channel, host, "\(port)", &hints,
            { question, status, _, found in
                guard let question else { return }
                Unmanaged<NameQuestion>.fromOpaque(question).takeUnretainedValue().end(status, found)
            }, Unmanaged.passUnretained(self).toOpaque())
        try finish()
        return addresses
    }

    private func end(_ status: Int32, _ found: UnsafeMutablePointer<ares_addrinfo>?) {
        defer { if let found { ares_freeaddrinfo(found) } }
        result = Result { try NameServers.Failure.check(status) }
        var next = found?.pointee.nodes
        while let node = next?.pointee {
            if let address = node.ai_addr {
                addresses.append(SocketAddress(address, length: socklen_t(node.ai_addrlen)))
            }
            next = node.ai_next
        }
    }

    private func finish() throws {
        while result == nil { wait() }
        try result?.get()
    }

    /// Waits until a name server has sent something, or until it is time to ask again.
    private func wait() {
        let socketsMax = 16
        var sockets = [ares_socket_t](repeating: -1, count: socketsMax)
        let wanted = UInt32(bitPattern: ares_getsock(channel, &sockets, Int32(socketsMax)))
        var polled: [pollfd] = []
        for index in 0..<socketsMax {
            let (reads, writes) = (wanted & (1 << index) != 0, wanted & (1 << (index + socketsMax)) != 0)
            guard reads || writes else { continue }
            polled.append(
                pollfd(fd: sockets[index], events: Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), revents: 0))
        }
        let pause = timeout(atMost: timeval(tv_sec: 1, tv_usec: 0))
        let ready = poll(&polled, nfds_t(polled.count), Int32(pause.tv_sec * 1_000 + pause.tv_usec / 1_000))
        guard ready > 0 else { return ares_process_fd(channel, -1, -1) }
        for one in polled where one.revents != 0 {
            let isReadable = one.revents & Int16(POLLIN | POLLERR | POLLHUP) != 0
            ares_process_fd(channel, isReadable ? one.fd : -1, one.revents & Int16(POLLOUT) != 0 ? one.fd : -1)
        }
    }

    /// How long to wait for a name server before c-ares wants to ask again.
    private func timeout(atMost limit: timeval) -> timeval {
        var (limit, rest) = (limit, timeval())
        // c-ares answers with one of the two pointers, which have to be valid until it is read.
        return withUnsafeMutablePointer(to: &limit) { limit in
            withUnsafeMutablePointer(to: &rest) { rest in ares_timeout(channel, limit, rest).pointee }
        }
    }
}
