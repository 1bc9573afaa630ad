import Logging
import NIOCore

/// Tells Postfix where mail to an address of the relay goes, in the protocol of socketmap_table(5).
///
/// There is one map, `relay`: a hidden address leads to the person, the address that stands for an app's leads to the
/// app.
struct SocketmapService: Sendable {
    let relay: MailRelay
    let logger: Logger

    static let map = "relay"

    func listener(at address: ListenAddress) -> RelayListener<NetstringDecoder> {
        RelayListener(
            name: "socketmap", address: address,
            limits: .init(bytesMax: 2_048, idleTime: .minutes(10)),
            makeDecoder: { NetstringDecoder(bytesMax: 1_024) }, logger: logger
        ) { requests, answers in
            for try await request in requests {
                try await answers.write(ByteBuffer(netstring: await answer(request)))
            }
        }
    }

    /// - Parameter request: `map key`.
    func answer(_ request: String) async -> String {
        let parts = request.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == Self.map else { return "PERM there is only the map \(Self.map)" }
        do {
            guard let destination = try await relay.destination(of: String(parts[1])) else { return "NOTFOUND " }
            return "OK \(destination)"
        } catch {
            logger.error("socketmap: no answer", metadata: ["error": "\(error)"])
            return "TEMP the relay does not answer at the moment"
        }
    }
}
