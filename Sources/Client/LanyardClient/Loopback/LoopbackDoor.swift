import Ground
import NIOHTTP1

/// Decides what a loopback listener does with a request.
struct LoopbackDoor: Sendable {
    let path: String
    let delivery: LoopbackListener.Delivery
    let isAnswer: @Sendable (String) -> Bool

    enum Verdict: Equatable {
        case answer(String)
        /// Not the answer, such as a browser's request for an icon, or not trustworthy.
        case refused(HTTPResponseStatus)
    }

    /// - Parameters:
    ///   - body: nil if it was longer than any answer.
    ///   - port: the port of the listener.
    func verdict(_ head: HTTPRequestHead, body: String?, port: Int) -> Verdict {
        // Another host name may have been resolved to this machine by an attacker (DNS rebinding).
        guard head.headers["host"] == ["127.0.0.1:\(port)"] else { return .refused(.forbidden) }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first ?? "" == path else { return .refused(.notFound) }
        // Only a navigation is a browser coming back; requests by scripts or embedded content are not. Old browsers do
        // not send the header.
        guard head.headers["sec-fetch-mode"].allSatisfy({ $0 == "navigate" }),
            head.headers["sec-fetch-dest"].allSatisfy({ $0 == "document" })
        else { return .refused(.forbidden) }

        let fields: String
        switch delivery {
        case .query:
            guard head.method == .GET else { return .refused(.methodNotAllowed) }
            fields = parts.count > 1 ? String(parts[1]) : ""
        case .form(let origin):
            guard head.method == .POST else { return .refused(.methodNotAllowed) }
            // A page that hides its address sends `null`.
            guard head.headers["origin"].allSatisfy({ $0 == origin || $0 == "null" }) else {
                return .refused(.forbidden)
            }
            let type = head.headers.first(name: "content-type")?.split(separator: ";").first
            guard type?.lowercased() == FormEncoding.contentType else {
                return .refused(.unsupportedMediaType)
            }
            guard let body else { return .refused(.payloadTooLarge) }
            fields = body
        }
        return isAnswer(fields) ? .answer(fields) : .refused(.badRequest)
    }
}
