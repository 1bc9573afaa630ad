import Logging
import NIOCore

/// Tells Postfix at `RCPT TO` what can be decided before the content has arrived.
struct PolicyService: Sendable {
    let relay: MailRelay
    let logger: Logger

    func listener(at address: ListenAddress) -> RelayListener<PolicyRequestDecoder> {
        RelayListener(
            name: "policy", address: address,
            limits: .init(bytesMax: 2 * PolicyRequestDecoder.bytesMax, idleTime: .minutes(10)),
            makeDecoder: { PolicyRequestDecoder() }, logger: logger
        ) { requests, answers in
            for try await request in requests {
                try await answers.write(ByteBuffer(string: "action=\(await action(on: request))\n\n"))
            }
        }
    }

    func action(on request: PolicyRequest) async -> String {
        // At any other stage it would accept recipients that it has not seen.
        guard request.state == "RCPT" else { return "451 4.3.5 The relay has to be asked at RCPT" }
        do {
            guard let refusal = try await relay.refusal(sender: request.sender, recipient: request.recipient) else {
                return "DUNNO"
            }
            logger.info("relay: refused", metadata: ["at": "RCPT", "reason": "\(refusal)"])
            return refusal.text
        } catch {
            logger.error("policy: no answer", metadata: ["error": "\(error)"])
            return "451 4.3.0 The relay does not answer at the moment"
        }
    }
}
