import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import SingleSignOnWire

extension Broker {
    func presented(_ exchange: HTTPExchange, _ peer: Peer, _ number: String) {
        guard let form = drawn[number], form.peer == peer else {
            return exchange.fail(.notFound, "Nothing is shown under this number.")
        }
        guard let result = try? JSONDecoder().decode(PresentationResult.self, from: exchange.body) else {
            return exchange.fail(.badRequest, "The body is no result of a presentation.")
        }
        answer(number, result)
        exchange.json(["answered": true])
    }

    /// Hands something to the caller, and waits for what the person does with it.
    func draw(_ presenting: BrokerEvent.Presenting, to exchange: HTTPExchange, _ peer: Peer) async -> PresentationResult
    {
        await withCheckedContinuation { continuation in
            drawn[presenting.id] = Drawn(peer: peer) { continuation.resume(returning: $0) }
            if streaming.insert(ObjectIdentifier(exchange.channel)).inserted { exchange.begin() }
            exchange.line(BrokerEvent.presenting(presenting))
        }
    }

    /// Nothing happens if nobody waits for it any more.
    func answer(_ number: String, _ result: PresentationResult) {
        drawn.removeValue(forKey: number)?.answer(result)
    }
}
