import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer in JSON that nobody keeps.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        json(bytes: try encode(value), status: status)
    }

    /// The same each time.
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
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

    /// 303: what follows a form is got, not posted again.
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
