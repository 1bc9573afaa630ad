/// The body of a 4xx or 5xx answer to a roster request: `{"error":"not_found","message":"…","requestId":"…"}`.
///
/// Only the status code is part of the protocol. Other services of this family may send another body or none.
public struct RosterErrorBody: Codable, Equatable, Sendable {
    /// The error as a word for programs.
    public var error: String?
    /// The error as a sentence for people.
    public var message: String?
    /// The id to quote to the operator. The same id is in the server's log.
    public var requestID: String?

    public init(error: String? = nil, message: String? = nil, requestID: String? = nil) {
        self.error = error
        self.message = message
        self.requestID = requestID
    }

    private enum CodingKeys: String, CodingKey {
        case error, message
        case requestID = "requestId"
    }
}
