import Logging
import NIOCore

/// Decides on mails whose content has arrived, and rewrites those that pass.
struct MilterService: Sendable {
    let relay: MailRelay
    let configuration: RelayConfiguration
    let logger: Logger

    func listener(at address: ListenAddress) -> RelayListener<MilterPacketDecoder> {
        RelayListener(
            name: "milter", address: address,
            // A mail of many megabytes can take long between two commands.
            limits: .init(bytesMax: 2 * MilterPacketDecoder.bytesMax, idleTime: .hours(1)),
            makeDecoder: { MilterPacketDecoder() }, logger: logger
        ) { packets, answers in
            var session = MilterSession(
                relay: relay, spfAuthority: configuration.spfAuthority, dkimAuthority: configuration.dkimAuthority,
                logger: logger)
            for try await packet in packets {
                guard let replies = try await session.answers(to: packet) else { return }
                guard !replies.isEmpty else { continue }
                var bytes = ByteBuffer()
                for reply in replies { bytes.writeImmutableBuffer(reply.packet) }
                try await answers.write(bytes)
            }
        }
    }
}
