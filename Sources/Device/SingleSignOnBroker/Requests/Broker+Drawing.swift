import Foundation
import NIOFoundationCompat
import NIOHTTP1
import SingleSignOnWire

/// What callers draw themselves.
extension Broker {
    /// From the time when the extension is asked until it has answered.
    struct Drawing {
        let exchange: HTTPExchange
        let peer: Peer
        /// Set while something is shown.
        var answer: ((PresentationResult) -> Void)?
    }

    /// Hands something to the caller, and waits for what the person does with it.
    func draw(_ presenting: BrokerEvent.Presenting) async -> PresentationResult {
        // The request may have ended on the way here: its connection is another's then.
        guard drawings[presenting.id] != nil else { return .canceled }
        return await withCheckedContinuation { continuation in
            drawings[presenting.id]?.answer = { continuation.resume(returning: $0) }
            drawings[presenting.id]?.exchange.line(BrokerEvent.presenting(presenting))
        }
    }

    /// `POST /v1/requests/{number}/presentation`
    func presented(_ exchange: HTTPExchange, _ peer: Peer, _ number: String) {
        guard let drawing = drawings[number], drawing.answer != nil, drawing.peer == peer else {
            return exchange.fail(.notFound, "Nothing is shown under this number.")
        }
        guard let result = try? JSONDecoder().decode(PresentationResult.self, from: exchange.body) else {
            return exchange.fail(.badRequest, "The body is no result of a presentation.")
        }
        answerDrawing(number, result)
        exchange.json(["answered": true])
    }

    /// Nothing happens if nothing is shown.
    func answerDrawing(_ number: String, _ result: PresentationResult) {
        let answer = drawings[number]?.answer
        drawings[number]?.answer = nil
        answer?(result)
    }

    /// The request is over.
    func endDrawing(_ number: String) {
        drawings.removeValue(forKey: number)?.answer?(.canceled)
    }
}
