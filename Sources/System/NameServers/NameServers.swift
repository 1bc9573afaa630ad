import CCares
import Ground

/// Asks name servers, with c-ares.
package struct NameServers: Sendable {
    /// Why there is no record to read.
    package enum Failure: Error, Equatable {
        /// No such name exists.
        case noSuchName
        /// The name exists, and has no record of that type.
        case noRecord
        /// No name server has given an answer; with the reason, in English.
        case noAnswer(String)
    }

    /// A type of records, with its number (RFC 1035 §3.2.2, RFC 2782).
    package enum RecordType: Int32, Sendable {
        case text = 16
        case service = 33
    }

    /// Servers to ask, such as `127.0.0.1:5353`, separated by commas; nil for those of the system.
    private let servers: String?
    private let queue: BlockingQueue

    /// - Parameters:
    ///   - servers: such as `127.0.0.1:5353`, separated by commas; nil for those of the system.
    ///   - width: how many names may be looked up at once, each of which keeps a thread waiting.
    package init(_ servers: String? = nil, width: Int = 4) {
        self.servers = servers
        queue = BlockingQueue(width: width)
    }

    /// - Parameters:
    ///   - name: a full name, such as `maple.example`.
    ///   - read: reads the records from the answer with a function of c-ares, which may say that there are none.
    /// - Throws: ``Failure``
    package func records<Record: Sendable>(
        at name: String, of type: RecordType, read: @escaping @Sendable (Answer) throws -> [Record]
    ) async throws -> [Record] {
        try await queue.run { [servers] in try NameQuestion(servers: servers).records(at: name, of: type, read: read) }
    }

    /// The addresses of a host, IPv4 and IPv6, or of the text itself if it is one.
    /// - Parameter port: 1 to 65535.
    /// - Throws: ``Failure``
    package func addresses(of host: String, port: UInt16) async throws -> [SocketAddress] {
        try await queue.run { [servers] in try NameQuestion(servers: servers).addresses(of: host, port: port) }
    }

    /// An answer as it came.
    package struct Answer {
        package let bytes: UnsafeMutablePointer<UInt8>?
        package let count: Int32

        /// - Throws: ``Failure``, if the status of a function of c-ares is not that of success.
        package func check(_ status: Int32) throws { try Failure.check(status) }
    }
}

extension NameServers.Failure {
    /// - Throws: the failure that a status of c-ares says, unless it is that of success.
    static func check(_ status: Int32) throws {
        switch status {
        case ARES_SUCCESS.asStatus: return
        case ARES_ENOTFOUND.asStatus: throw NameServers.Failure.noSuchName
        case ARES_ENODATA.asStatus: throw NameServers.Failure.noRecord
        default: throw NameServers.Failure.noAnswer(String(cString: ares_strerror(status)))
        }
    }
}

extension BinaryInteger {
    /// c-ares gives its statuses as `int`, whatever the type of their names is.
    var asStatus: Int32 { Int32(self) }
}
