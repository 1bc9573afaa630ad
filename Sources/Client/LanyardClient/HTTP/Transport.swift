import Foundation

/// Sends one request to the service and returns its answer. All requests of this module use it.
package typealias Transport = @Sendable (WireRequest) async throws -> WireResponse

/// A request as this protocol needs it.
package struct WireRequest: Equatable, Sendable {
    package enum Method: Equatable, Sendable {
        case get
        /// With a body of type `application/x-www-form-urlencoded`.
        case post(form: String)
    }

    package var method: Method
    package var url: String
    package var accessToken: String?
    /// The `Idempotency-Key` of a request that may be repeated: the server gives the same answer again.
    package var idempotencyKey: String?

    package init(_ method: Method, _ url: String, accessToken: String? = nil, idempotencyKey: String? = nil) {
        self.method = method
        self.url = url
        self.accessToken = accessToken
        self.idempotencyKey = idempotencyKey
    }
}

package struct WireResponse: Sendable {
    package var status: Int
    /// By name in lower case.
    package var headers: [String: String]
    package var body: Data

    package init(status: Int, headers: [String: String] = [:], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    var requestID: String? { headers["x-request-id"] }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            throw LanyardClientError.unexpectedAnswer(status: status, "\(error)", requestID: requestID)
        }
    }

    /// The error for an answer that is neither the expected one nor a refusal by the protocol.
    var asUnexpected: LanyardClientError {
        let opening = String(decoding: body.prefix(200), as: UTF8.self)
        return .unexpectedAnswer(status: status, opening, requestID: requestID)
    }
}
