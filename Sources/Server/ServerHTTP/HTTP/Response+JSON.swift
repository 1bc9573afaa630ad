import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer in JSON that must not be cached.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        json(bytes: try JSONBytesEncoder.encode(value), status: status)
    }

    static func json(bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: "application/json;charset=UTF-8",
                .cacheControl: "no-store",
                .pragma: "no-cache",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A redirect with status 303, after which the browser sends a GET and does not post the form again.
    static func seeOther(_ location: String) -> Response {
        Response(status: .seeOther, headers: [.location: location, .cacheControl: "no-store"])
    }

    static func found(_ location: String) -> Response {
        Response(status: .found, headers: [.location: location, .cacheControl: "no-store"])
    }
}

extension HTTPField.Name {
    static let requestID = HTTPField.Name("X-Request-Id")!  // a valid token
    static let rosterRetryAfter = HTTPField.Name("X-Retry-After")!  // a valid token
    static let pragma = HTTPField.Name("Pragma")!  // a valid token
}
