import NIOHTTP1

/// Lets requests for one path have long headers, and refuses those of all others. Tickets of Kerberos are long, and are
/// sent as a header.
struct LongHead: Sendable {
    let path: String
    /// The maximum size of the headers of requests for other paths, in bytes.
    let limit: Int

    func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
        guard head.uri.prefix(while: { $0 != "?" }) != path else { return nil }
        let size = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        return size <= limit ? nil : .requestHeaderFieldsTooLarge
    }
}
