import Crypto
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import NIOCore
import Storage
import Synchronization

/// A file that pages of any site may load, at an address whose content may change. Browsers keep it for an hour, or for
/// the given number of seconds, and then ask whether it is still the same.
struct PublicFile: Sendable {
    private let bytes: ByteBuffer
    private let headers: HTTPFields
    private let entityTag: String

    init(_ bytes: [UInt8], contentType: String, keptFor seconds: Int = 3_600) {
        self.bytes = ByteBuffer(bytes: bytes)
        entityTag = "\"\(Array(SHA256.hash(data: bytes).prefix(16)).hexadecimal)\""
        headers = [
            .contentType: contentType,
            .eTag: entityTag,
            .cacheControl: "public, max-age=\(seconds)",
            .resourcePolicy: "cross-origin",
            .accessControlAllowOrigin: "*",
        ]
    }

    func response(to request: Request) -> Response {
        guard !isKnown(to: request) else { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }

    /// Whether the client has the current content. The comparison is weak, with any entry of a list, or with `*`, as
    /// RFC 9110 §13.1.2 requires.
    private func isKnown(to request: Request) -> Bool {
        request.headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.contains { tag in
            ["*", entityTag, "W/" + entityTag].contains(tag.trimmingCharacters(in: .whitespaces))
        }
    }
}

/// A public JSON document, which clients keep for a quarter of an hour: keys and discovery. It is encoded when its
/// content has changed, not for each request.
final class PublicDocument: Sendable {
    private let encoded = Mutex<(version: [String], file: PublicFile)?>(nil)

    /// - Parameters:
    ///   - version: what the document depends on.
    ///   - make: the document.
    func response<Document: Encodable>(
        to request: Request, version: [String] = [], _ make: () throws -> Document
    ) throws -> Response {
        let known = encoded.withLock { $0?.version == version ? $0?.file : nil }
        if let known { return known.response(to: request) }
        let file = PublicFile(
            try JSONBytesEncoder.encode(try make()), contentType: "application/json;charset=UTF-8", keptFor: 900)
        encoded.withLock { $0 = (version, file) }
        return file.response(to: request)
    }
}
