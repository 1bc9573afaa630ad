import Ground
import KerberosDomain
import NameServers
import WebClient

/// A connection with a domain controller's directory (LDAP, RFC 4511), for somebody with a ticket: signed in by SASL's mechanism
/// GSSAPI (RFC 4752), and encrypted by it or by TLS. All calls block.
final class DirectoryConnection {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What keeps others from reading along.
    enum Protection: Sendable {
        case kerberos
        /// - Parameter authorities: the path of a PEM file with authorities that count besides the system's.
        case tls(authorities: String?)
    }

    /// Where directories speak TLS. The domain's name servers say another port, for connections without.
    private static let tlsPort: UInt16 = 636

    /// Far more than the few attributes of one person have.
    private static let bytesMax = 1 << 20

    /// How long one step may take.
    private static let stepMax = Duration.seconds(2)

    private let stream: any DirectoryStream
    private let context: SecurityContext
    private let limit: Duration
    private let watch: Stopwatch
    /// Whether messages are encrypted by Kerberos from now on.
    private var isProtected = false
    private var number: Int32 = 0
    /// What has been decrypted, and not read yet.
    private var received: [UInt8] = []

    /// - Parameters:
    ///   - host: the controller's name, for which the ticket is.
    ///   - limit: how long all steps together may take. A server that sends one byte after the other is no reason to wait longer.
    /// - Throws: ``Failure``, ``SecurityContext/Failure``, `HTTPFailure` without TLS
    init(
        _ address: SocketAddress, host: String, cache: String, protectedBy protection: Protection,
        within limit: Duration
    ) throws {
        self.limit = limit
        watch = Stopwatch()
        let step = try Self.timeForStep(limit)
        switch protection {
        case .kerberos:
            context = try SecurityContext(cache: cache, host: host, for: .directory)
            stream = try SocketStream(address, within: step)
        case .tls(let authorities):
            guard let numbers = address.numbers else {
                throw Failure(description: "its address is neither of IPv4 nor of IPv6")
            }
            let connection = try TLSStream(
                host: host, port: Self.tlsPort, address: numbers, authorities: authorities, within: step)
            // A controller that looks at it lets in nobody whose ticket was passed on by somebody in between.
            context = try SecurityContext(
                cache: cache, host: host,
                binding: connection.certificate.flatMap { ChannelBinding(certificate: Array($0)) },
                for: .directoryOverTLS)
            stream = connection
        }
        try signIn()
    }

    static let tooLong = Failure(description: "the directory takes too long")

    /// - Throws: ``Failure`` if the time is over.
    private static func timeForStep(_ left: Duration) throws -> Duration {
        guard left > .milliseconds(1) else { throw tooLong }
        return min(left, stepMax)
    }

    private func timeForStep() throws -> Duration { try Self.timeForStep(limit - watch.elapsed) }

    // MARK: Signing in

    private func signIn() throws {
        var (token, isComplete) = try context.step([])
        while true {
            let answer = try bind(token)
            if isComplete { return try protect(answer) }
            (token, isComplete) = try context.step(answer)
        }
    }

    /// One step of the mechanism.
    /// - Returns: the server's token.
    private func bind(_ token: [UInt8]) throws -> [UInt8] {
        try send(
            0x60,
            BER.integer(3) + BER.text("")
                + BER.element(0xa3, BER.text("GSSAPI") + BER.element(BER.octets, token)))
        let (tag, content) = try receive()
        var answer = content
        guard tag == 0x61, let result = answer.content(BER.enumerated)?.first else { throw Self.unreadable }
        // 14 is “go on”. A name and words for people follow.
        guard result == 0 || result == 14, answer.content(BER.octets) != nil, answer.content(BER.octets) != nil else {
            throw Failure(description: "the directory lets nobody in (\(result))")
        }
        return answer.content(0x87).map(Array.init) ?? []
    }

    /// The last step: the server offers kinds of protection, of which encryption is taken. With TLS it is none: domain controllers
    /// refuse two at once.
    private func protect(_ answer: [UInt8]) throws {
        let (none, encryption): (UInt8, UInt8) = (1, 4)
        let offer = try context.unwrap(answer)
        let needsEncryption = !stream.isEncrypted
        guard offer.count >= 4, offer[0] & (needsEncryption ? encryption : none) != 0 else {
            throw Failure(
                description: needsEncryption
                    ? "the directory does not offer to encrypt"
                    : "the directory wants Kerberos's encryption besides that of TLS")
        }
        // The kind, and the longest message that is taken here if it is protected. This one is not encrypted by Kerberos yet.
        _ = try bind(context.wrap(needsEncryption ? [encryption, 0x10, 0, 0] : [none, 0, 0, 0], isEncrypted: false))
        isProtected = needsEncryption
    }

    private static let unreadable = Failure(description: "the directory has sent what is no answer")

    // MARK: Searching

    /// The attributes of the one entry that has this value.
    /// - Parameter base: the name of the entry below which it is.
    /// - Returns: by the attribute's name in small letters, the first value of each; nil if there is no such entry, or more
    ///   than one.
    func find(_ value: String, of attribute: String, below base: String, reading names: [String]) throws -> [String:
        String]?
    {
        let wholeSubtree: UInt8 = 2
        try send(
            0x63,
            BER.text(base) + BER.element(BER.enumerated, [wholeSubtree]) + BER.element(BER.enumerated, [0])
                + BER.integer(2) + BER.integer(3) + BER.element(BER.boolean, [0])
                + BER.element(0xa3, BER.text(attribute) + BER.text(value))
                + BER.element(BER.sequence, names.flatMap(BER.text)))
        var entries: [[String: String]] = []
        while true {
            let (tag, content) = try receive()
            var answer = content
            switch tag {
            case 0x64:
                // No more than two were asked for.
                guard entries.count < 2 else { throw Self.unreadable }
                entries.append(try Self.attributes(&answer))
            // Where else one could look.
            case 0x73: continue
            case 0x65:
                guard answer.content(BER.enumerated)?.first == 0 else {
                    throw Failure(description: "the directory does not answer the question")
                }
                return entries.count == 1 ? entries[0] : nil
            default: throw Self.unreadable
            }
        }
    }

    private static func attributes(_ entry: inout BER) throws -> [String: String] {
        guard entry.content(BER.octets) != nil, var list = entry.enter(BER.sequence) else { throw unreadable }
        var found: [String: String] = [:]
        while var attribute = list.enter(BER.sequence) {
            guard let name = attribute.content(BER.octets), var values = attribute.enter(BER.set) else {
                throw unreadable
            }
            guard let value = values.content(BER.octets), let text = String(validating: value, as: UTF8.self) else {
                continue
            }
            found[String(decoding: name, as: UTF8.self).lowercased()] = text
        }
        return found
    }

    // MARK: Messages

    private func send(_ tag: UInt8, _ content: [UInt8]) throws {
        number += 1
        var message = BER.element(BER.sequence, BER.integer(number) + BER.element(tag, content))
        if isProtected {
            let wrapped = try context.wrap(message)
            message = Self.length(wrapped.count) + wrapped
        }
        var rest = message[...]
        while !rest.isEmpty { rest = rest.dropFirst(try stream.send(rest, within: timeForStep())) }
    }

    private static func length(_ count: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    }

    /// - Returns: the tag of the next message's operation, and its content.
    private func receive() throws -> (UInt8, BER) {
        while true {
            if let message = try takeMessage() {
                var reader = BER(message[...])
                // Others are answers to nothing that was asked.
                guard reader.integer() == number, let tag = reader.nextTag, let content = reader.enter(tag) else {
                    throw Self.unreadable
                }
                return (tag, content)
            }
            received += isProtected ? try nextProtected() : try read(atMost: 65_536)
        }
    }

    /// - Returns: the content of the first whole message; nil if it has not all come.
    private func takeMessage() throws -> [UInt8]? {
        guard received.count <= Self.bytesMax else { throw Self.unreadable }
        var reader = BER(received[...])
        guard let content = reader.content(BER.sequence) else {
            if let first = received.first, first != BER.sequence { throw Self.unreadable }
            return nil
        }
        received.removeFirst(content.endIndex)
        return Array(content)
    }

    private func nextProtected() throws -> [UInt8] {
        let count = try exactly(4).reduce(0) { $0 << 8 | Int($1) }
        guard count <= Self.bytesMax else { throw Self.unreadable }
        return try context.unwrap(exactly(count))
    }

    private func exactly(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += try read(atMost: count - bytes.count) }
        return bytes
    }

    private func read(atMost count: Int) throws -> [UInt8] {
        let bytes = try stream.receive(atMost: count, within: timeForStep())
        guard !bytes.isEmpty else { throw Failure(description: "the directory has hung up") }
        return bytes
    }
}
