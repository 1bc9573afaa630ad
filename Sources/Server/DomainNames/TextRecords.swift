import CCares
import Foundation
import Ground

/// Reads TXT records of the domain name system (RFC 1035, section 3.3.14).
package protocol TextRecordReading: Sendable {
    /// - Parameter name: a full name, such as `maple.example`.
    /// - Returns: the text of each record, its parts joined; what is not UTF-8 is replaced
    /// - Throws: ``TextRecordFailure``
    func find(at name: String) async throws -> [String]
}

/// Why there are no TXT records to read.
package enum TextRecordFailure: Error, Equatable {
    /// No such name exists.
    case noSuchName
    /// The name exists, and has no TXT record.
    case noRecord
    /// No name server has given an answer; with the reason, in English.
    case noAnswer(String)
}

/// Asks name servers, with c-ares.
package struct TextRecords: TextRecordReading {
    /// Name servers to ask, such as `127.0.0.1:5353`, separated by commas; nil for those of the system.
    private let servers: String?
    /// Looking a name up keeps a thread waiting, and more than a few at once are not needed.
    private let queue = BlockingQueue(width: 4)

    package init(servers: String? = nil) { self.servers = servers }

    package func find(at name: String) async throws -> [String] {
        try await queue.run { [servers] in try Lookup(servers: servers).texts(at: name) }
    }
}

/// One question, and its answer.
private final class Lookup {
    /// How long a name server may take to answer, in milliseconds; then it is asked once more.
    private static let patience: Int32 = 2_000

    private var channel: ares_channel?
    private var result: Result<[String], TextRecordFailure>?

    init(servers: String?) throws {
        try Self.check(ares_library_init(ARES_LIB_INIT_ALL))
        var options = ares_options()
        options.timeout = Self.patience
        options.tries = 2
        try Self.check(ares_init_options(&channel, &options, Int32(ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES)))
        if let servers { try Self.check(ares_set_servers_ports_csv(channel, servers)) }
    }

    deinit {
        if let channel { ares_destroy(channel) }
        ares_library_cleanup()
    }

    private static func check(_ status: Int32) throws {
        guard status == ARES_SUCCESS.asStatus else { throw TextRecordFailure.noAnswer(Self.text(of: status)) }
    }

    private static func text(of status: Int32) -> String { String(cString: ares_strerror(status)) }

    func texts(at name: String) throws -> [String] {
        let (internet, text) = (Int32(1), Int32(16))
        ares_query(
            channel, name, internet, text,
            { lookup, status, _, bytes, count in
                guard let lookup else { return }
                Unmanaged<Lookup>.fromOpaque(lookup).takeUnretainedValue().end(status, bytes, count)
            }, Unmanaged.passUnretained(self).toOpaque())
        while result == nil { wait() }
        return try result?.get() ?? []
    }

    private func end(_ status: Int32, _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int32) {
        switch status {
        case ARES_SUCCESS.asStatus: result = Self.read(bytes, count)
        case ARES_ENOTFOUND.asStatus: result = .failure(.noSuchName)
        case ARES_ENODATA.asStatus: result = .failure(.noRecord)
        default: result = .failure(.noAnswer(Self.text(of: status)))
        }
    }

    private static func read(
        _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int32
    ) -> Result<[String], TextRecordFailure> {
        var first: UnsafeMutablePointer<ares_txt_ext>?
        let status = ares_parse_txt_reply_ext(bytes, count, &first)
        guard status == ARES_SUCCESS.asStatus else {
            return .failure(status == ARES_ENODATA.asStatus ? .noRecord : .noAnswer(text(of: status)))
        }
        defer { ares_free_data(first) }
        // A record has parts of at most 255 bytes; the first of each is marked.
        var records: [[UInt8]] = []
        var next = first
        while let part = next?.pointee {
            if part.record_start != 0 || records.isEmpty { records.append([]) }
            records[records.count - 1] += UnsafeBufferPointer(start: part.txt, count: part.length)
            next = part.next
        }
        return .success(records.map { String(decoding: $0, as: UTF8.self) })
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
}

extension Lookup {
    /// How long to wait for a name server before c-ares wants to ask again.
    fileprivate func timeout(atMost limit: timeval) -> timeval {
        var (limit, rest) = (limit, timeval())
        // c-ares answers with one of the two pointers, which have to be valid until it is read.
        return withUnsafeMutablePointer(to: &limit) { limit in
            withUnsafeMutablePointer(to: &rest) { rest in ares_timeout(channel, limit, rest).pointee }
        }
    }
}

extension BinaryInteger {
    /// c-ares gives its statuses as `int`, whatever the type of their names is.
    fileprivate var asStatus: Int32 { Int32(self) }
}
