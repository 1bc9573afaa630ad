import Ground
import NIOCore
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request of a caller's: `POST /v1/requests`.
struct CallerRequest {
    /// Why it is answered with 400, as a sentence for the caller.
    struct Malformed: Error {
        let problem: String
    }

    let exchange: HTTPExchange
    let peer: Peer
    let message: BrokerRequest
    let begun = NIODeadline.now()

    init(_ exchange: HTTPExchange, from peer: Peer) throws(Malformed) {
        let message: BrokerRequest
        do {
            message = try JSONDecoder().decode(BrokerRequest.self, from: Data(exchange.body.readableBytesView))
        } catch {
            throw Malformed(problem: "The body is no request: \(DecodingProblem(error)).")
        }
        if let problem = Self.problem(of: message) { throw Malformed(problem: problem) }
        (self.exchange, self.peer, self.message) = (exchange, peer, message)
    }

    private static func problem(of message: BrokerRequest) -> String? {
        guard [0, 401, 407].contains(message.responseCode ?? 0) else { return "“responseCode” is 0, 401 or 407." }
        let operation = message.operation ?? ""
        // Only the broker sends these: an extension deletes all its data for the first, and for the second it does what no
        // caller has asked for.
        guard ![ExtensionRequest.configurationRemoved, ExtensionRequest.wake].contains(operation) else {
            return "“\(operation)” is no operation that a caller may ask for."
        }
        guard operation.utf8.count <= 256 else { return "“operation” has at most 256 bytes." }
        guard (message.conversation ?? "").utf8.count <= 64 else { return "“conversation” has at most 64 bytes." }
        guard (message.serverCertificate?.count ?? 0) <= 64 << 10 else {
            return "“serverCertificate” has at most 64 KiB."
        }
        return nil
    }

    var url: String { message.url }
    /// Empty for a request of the web.
    var operation: String { message.operation ?? "" }
    /// 0, or the status of a challenge: 401 or 407.
    var responseCode: Int { message.responseCode ?? 0 }
    var presentation: BrokerRequest.Presentation { message.presentation ?? .desktop }

    var milliseconds: Int { Int((NIODeadline.now() - begun).nanoseconds / 1_000_000) }
}
