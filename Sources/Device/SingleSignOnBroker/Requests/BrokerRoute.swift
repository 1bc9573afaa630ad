import NIOHTTP1

/// What a request on the broker's socket asks for, by its method and path.
enum BrokerRoute: Equatable {
    /// `POST /v1/requests`
    case ask
    /// `POST /v1/requests/{number}/presentation`
    case answerPresentation(number: String)
    /// `GET /v1/match?url=…&responseCode=…`; the code is 0 if it is missing or no number.
    case match(url: String, responseCode: Int)
    /// `GET /v1/match` without its URL.
    case matchWithoutURL
    /// `GET /v1/status`
    case status
    /// `GET /v1/domains`
    case domains
    /// `POST /v1/domains/refresh`
    case refreshDomains
    /// `GET /v1/log`, which goes on without an end if `follow` is there.
    case log(isFollowed: Bool)
    /// `GET /v1/events`
    case events
    /// `POST /v1/extensions/{identifier}/debug`
    case debug(identifier: String)
    case unknown

    init(_ exchange: HTTPExchange) {
        let path = exchange.path.split(separator: "/", omittingEmptySubsequences: true)
        self =
            switch (exchange.head.method, path) {
            case (.POST, ["v1", "requests"]): .ask
            case (.POST, _) where path.count == 4 && path[..<2] == ["v1", "requests"] && path[3] == "presentation":
                .answerPresentation(number: String(path[2]))
            case (.GET, ["v1", "match"]):
                exchange.query("url").map {
                    .match(url: $0, responseCode: exchange.query("responseCode").flatMap { Int($0) } ?? 0)
                } ?? .matchWithoutURL
            case (.GET, ["v1", "status"]): .status
            case (.GET, ["v1", "domains"]): .domains
            case (.POST, ["v1", "domains", "refresh"]): .refreshDomains
            case (.GET, ["v1", "log"]): .log(isFollowed: exchange.query("follow") != nil)
            case (.GET, ["v1", "events"]): .events
            case (.POST, _) where path.count == 4 && path[..<2] == ["v1", "extensions"] && path[3] == "debug":
                .debug(identifier: String(path[2]))
            default: .unknown
            }
    }
}
