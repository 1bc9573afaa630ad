import Logging
import Mail
import NIOCore

/// One connection of the mail server, which carries several mails, one after the other.
struct MilterSession: Sendable {
    let relay: MailRelay
    let spfAuthority: String
    let dkimAuthority: String
    let logger: Logger

    private var sender: String?
    private var recipient: String?
    private var headers: [HeaderField] = []
    private var headerBytes = 0

    /// Limits for the headers of one message, far above those of any real mail.
    static let headerBytesMax = 512 * 1_024
    static let headersMax = 1_000

    init(relay: MailRelay, spfAuthority: String, dkimAuthority: String, logger: Logger) {
        self.relay = relay
        self.spfAuthority = spfAuthority
        self.dkimAuthority = dkimAuthority
        self.logger = logger
    }

    struct UnknownCommand: Error {}

    /// - Returns: the answers to one command; nil at the end of the connection. Most commands want one answer, some
    ///   none.
    mutating func answers(to packet: MilterPacket) async throws -> [MilterAnswer]? {
        switch packet.command {
        case UInt8(ascii: "O"): return [try Self.negotiate(packet)]
        case UInt8(ascii: "D"): return []  // macros: nothing is decided by them
        case UInt8(ascii: "C"), UInt8(ascii: "H"), UInt8(ascii: "T"), UInt8(ascii: "N"), UInt8(ascii: "B"),
            UInt8(ascii: "U"):
            return [.proceed]
        case UInt8(ascii: "M"):
            reset()
            sender = try Self.path(packet)
            return [.proceed]
        case UInt8(ascii: "R"): return [try takeRecipient(try Self.path(packet))]
        case UInt8(ascii: "L"):
            try takeHeader(packet)
            return [.proceed]
        case UInt8(ascii: "E"):
            let answers = await decide()
            reset()
            return answers
        case UInt8(ascii: "A"):
            reset()
            return []
        case UInt8(ascii: "K"):
            reset()
            return []
        case UInt8(ascii: "Q"): return nil
        default: throw UnknownCommand()
        }
    }

    private mutating func reset() {
        sender = nil
        recipient = nil
        headers = []
        headerBytes = 0
    }

    /// Asks to add and change headers and to replace the envelope sender, and not to be sent the body.
    private static func negotiate(_ packet: MilterPacket) throws -> MilterAnswer {
        var data = packet.data
        guard let (version, actions, steps) = data.readMultipleIntegers(as: (UInt32, UInt32, UInt32).self),
            version >= 6
        else { throw MilterPacketDecoder.Malformed() }
        let (addHeaders, changeHeaders, changeSender): (UInt32, UInt32, UInt32) = (0x01, 0x10, 0x40)
        let wanted = addHeaders | changeHeaders | changeSender
        guard actions & wanted == wanted else { throw MilterPacketDecoder.Malformed() }
        let (noConnect, noGreeting, noBody, noUnknown, noData): (UInt32, UInt32, UInt32, UInt32, UInt32) =
            (0x01, 0x02, 0x10, 0x100, 0x200)
        return .negotiate(
            version: 6, actions: wanted, steps: steps & (noConnect | noGreeting | noBody | noUnknown | noData))
    }

    /// The address of `MAIL FROM` or `RCPT TO`, without the angle brackets.
    private static func path(_ packet: MilterPacket) throws -> String {
        guard let path = try packet.texts.first else { throw MilterPacketDecoder.Malformed() }
        return path.hasPrefix("<") && path.hasSuffix(">") ? String(path.dropFirst().dropLast()) : path
    }

    /// Takes one recipient per message, because each sees another address in `From`. The sender's server sends the
    /// message to the others afterwards.
    private mutating func takeRecipient(_ address: String) throws -> MilterAnswer {
        guard recipient == nil else { return .reply("452 4.5.3 One recipient at a time") }
        // An address that the mail server might parse differently is refused without a look-up.
        guard (try? MailAddress(address)) != nil else {
            return .reply(MailRelay.Refusal.unknownRecipient.text)
        }
        recipient = address
        return .proceed
    }

    private mutating func takeHeader(_ packet: MilterPacket) throws {
        let texts = try packet.texts
        guard texts.count == 2 else { throw MilterPacketDecoder.Malformed() }
        headerBytes += packet.data.readableBytes
        guard headerBytes <= Self.headerBytesMax, headers.count <= Self.headersMax else { return }
        headers.append(HeaderField(name: texts[0], value: texts[1]))
    }

    private func decide() async -> [MilterAnswer] {
        guard let sender, let recipient else { return [.reply("451 4.3.5 The relay was not told who writes to whom")] }
        guard headerBytes <= Self.headerBytesMax, headers.count <= Self.headersMax else {
            return [.reply("550 5.6.0 The message has too many headers")]
        }
        do {
            let results = try AuthenticationResults(
                in: headers, spfAuthority: spfAuthority, dkimAuthority: dkimAuthority)
            let decision = try await relay.decision(
                on: .init(envelopeSender: sender, recipient: recipient, headers: headers, results: results))
            return answers(to: decision)
        } catch AuthenticationResults.Problem.missing(let authority, let found) {
            logger.error(
                "milter: a verifier has written nothing",
                metadata: ["expected": "\(authority)", "found": "\(found.joined(separator: " "))"])
            return [.reply("451 4.3.5 The sender cannot be verified at the moment")]
        } catch AuthenticationResults.Problem.ambiguous(let authority) {
            logger.warning(
                "relay: refused", metadata: ["at": "DATA", "reason": "more than one header of \(authority)"])
            return [.reply(MailRelay.Refusal.unauthorizedSender.text)]
        } catch {
            logger.error("milter: no answer", metadata: ["error": "\(error)"])
            return [.reply("451 4.3.0 The relay does not answer at the moment")]
        }
    }

    private func answers(to decision: MailRelay.Decision) -> [MilterAnswer] {
        switch decision {
        case .leave: return [.accept]
        case .tryLater: return [.reply("451 4.7.5 The sender cannot be verified at the moment")]
        case .refuse(let refusal):
            logger.info("relay: refused", metadata: ["at": "DATA", "reason": "\(refusal)"])
            return [.reply(refusal.text)]
        case .forward(let sender, let rewriting):
            let changes = rewriting.changes.map { change -> MilterAnswer in
                switch change {
                case .delete(let name, let index):
                    .changeHeader(name: name, index: UInt32(index), value: "")
                case .replace(let name, let index, let value):
                    .changeHeader(name: name, index: UInt32(index), value: value)
                case .append(let name, let value): .addHeader(name: name, value: value)
                }
            }
            return [.changeSender(sender)] + changes + [.proceed]
        }
    }
}
