import Foundation
import LanyardAPI

extension WireResponse {
    /// The answer of an OAuth endpoint if it is a success. RFC 6749 section 5.2.
    /// - Throws: `LanyardClientError.oauth`, `.rateLimited` or `.unexpectedAnswer`
    func accepted() throws -> WireResponse {
        switch status {
        case 200..<300:
            return self
        case 429:
            throw LanyardClientError.rateLimited(retryAfter: retryAfter, requestID: requestID)
        case 400..<500:
            guard let refusal = try? decode(ErrorResponse.self) else { throw asUnexpected }
            throw LanyardClientError.oauth(refusal.error, description: refusal.description, requestID: requestID)
        default:
            throw asUnexpected
        }
    }
}
