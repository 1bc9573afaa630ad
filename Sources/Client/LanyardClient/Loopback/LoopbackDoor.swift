import NIOHTTP1

/// What a loopback listener makes of a request.
struct LoopbackDoor: Sendable {
    let path: String
    let delivery: LoopbackListener.Delivery
    let isAnswer: @Sendable (String) -> Bool

    enum Verdict: Equatable {
        case answer(String)
        /// Not for us, such as the icon that browsers ask for, or not to be trusted.
        case refused(HTTPResponseStatus)
    }

    /// - Parameters:
    ///   - body: Nil if it was longer than any answer.
    ///   - port: The one that we listen at.
    func verdict(_ head: HTTPRequestHead, body: String?, port: Int) -> Verdict {
        // A name that leads here from elsewhere (DNS rebinding) is not ours.
        guard head.headers["host"] == ["127.0.0.1:\(port)"] else { return .refused(.forbidden) }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first ?? "" == path else { return .refused(.notFound) }
        // A page that reads, embeds or fetches us is no person's browser coming back. Old browsers do not say.
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
            // `null` is what a page says that keeps its address to itself.
            guard head.headers["origin"].allSatisfy({ $0 == origin || $0 == "null" }) else {
                return .refused(.forbidden)
            }
            let type = head.headers.first(name: "content-type")?.split(separator: ";").first
            guard type?.lowercased() == "application/x-www-form-urlencoded" else {
                return .refused(.unsupportedMediaType)
            }
            guard let body else { return .refused(.payloadTooLarge) }
            fields = body
        }
        return isAnswer(fields) ? .answer(fields) : .refused(.badRequest)
    }
}
