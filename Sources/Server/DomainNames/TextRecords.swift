import CCares
import NameServers

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

    init(_ failure: NameServers.Failure) {
        switch failure {
        case .noSuchName: self = .noSuchName
        case .noRecord: self = .noRecord
        case .noAnswer(let reason): self = .noAnswer(reason)
        }
    }
}

/// Asks name servers.
package struct TextRecords: TextRecordReading {
    private let servers: NameServers

    /// - Parameter servers: name servers to ask, such as `127.0.0.1:5353`, separated by commas; nil for those of the
    ///   system.
    package init(servers: String? = nil) { self.servers = NameServers(servers) }

    package func find(at name: String) async throws -> [String] {
        do {
            return try await servers.records(at: name, of: .text, read: Self.read)
        } catch let failure as NameServers.Failure {
            throw TextRecordFailure(failure)
        }
    }

    private static func read(_ answer: NameServers.Answer) throws -> [String] {
        var first: UnsafeMutablePointer<ares_txt_ext>?
        try answer.check(ares_parse_txt_reply_ext(answer.bytes, answer.count, &first))
        defer { ares_free_data(first) }
        // A record has parts of at most 255 bytes; the first of each is marked.
        var records: [[UInt8]] = []
        var next = first
        while let part = next?.pointee {
            if part.record_start != 0 || records.isEmpty { records.append([]) }
            records[records.count - 1] += UnsafeBufferPointer(start: part.txt, count: part.length)
            next = part.next
        }
        return records.map { String(decoding: $0, as: UTF8.self) }
    }
}
