import SingleSignOnWire

/// The requests whose callers show forms and pages themselves, in a tab or a terminal.
///
/// A request is here from before its extension is asked until its presenter is closed.
struct Drawings {
    private struct Drawing {
        let exchange: HTTPExchange
        let peer: Peer
        /// Set while something is shown.
        var answer: ((PresentationResult) -> Void)?
    }

    private var drawings: [String: Drawing] = [:]

    /// - Parameters:
    ///   - number: by which the caller names the request when it answers.
    ///   - exchange: the caller's request, whose answer says in lines what is to be shown.
    ///   - peer: the only process whose answers count.
    mutating func begin(_ number: String, _ exchange: HTTPExchange, _ peer: Peer) {
        drawings[number] = Drawing(exchange: exchange, peer: peer)
    }

    /// - Parameter answer: called once, with what the person does or with how the request ends.
    /// - Returns: where the caller is to be told what to show. Nil if the request is over already, because its
    ///   connection may be another request's by then; `answer` is not called.
    mutating func show(_ number: String, answer: @escaping (PresentationResult) -> Void) -> HTTPExchange? {
        drawings[number]?.answer = answer
        return drawings[number]?.exchange
    }

    /// Whether this process shows something for the request now.
    func isShown(_ number: String, by peer: Peer) -> Bool {
        guard let drawing = drawings[number] else { return false }
        return drawing.answer != nil && drawing.peer == peer
    }

    /// Takes what waits for the person out; the first answer counts.
    /// - Returns: nil if nothing is shown.
    mutating func takeAnswer(_ number: String) -> ((PresentationResult) -> Void)? {
        defer { drawings[number]?.answer = nil }
        return drawings[number]?.answer
    }

    /// The request is over: what is still shown counts as canceled.
    mutating func end(_ number: String) {
        drawings.removeValue(forKey: number)?.answer?(.canceled)
    }
}
