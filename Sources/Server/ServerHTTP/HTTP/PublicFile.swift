import Crypto
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import NIOCore
import Storage
import Synchronization

/// A file at an address whose content may change. Browsers keep it for a while, and then ask whether it is still the same.
struct PublicFile: Sendable {
    private let whole: StandingAnswer
    /// For who has the current content already.
    private let unchanged: StandingAnswer
    private let entityTag: String

    /// - Parameters:
    ///   - cacheControl: by default, browsers keep it for an hour.
    ///   - isForAllSites: whether pages of any site may load it.
    init(
        _ bytes: [UInt8], contentType: String, cacheControl: String = "public, max-age=3600", isForAllSites: Bool = true
    ) {
        entityTag = "\"\(Array(SHA256.hash(data: bytes).prefix(16)).hexadecimal)\""
        var fields: HTTPFields = [.contentType: contentType, .eTag: entityTag, .cacheControl: cacheControl]
        if isForAllSites {
            fields[.resourcePolicy] = "cross-origin"
            fields[.accessControlAllowOrigin] = "*"
        }
        whole = StandingAnswer(fields, body: ByteBuffer(bytes: bytes))
        unchanged = StandingAnswer(status: .notModified, fields)
    }

    func answer(to request: HTTPRequest) -> StandingAnswer { isKnown(to: request) ? unchanged : whole }

    /// Whether the client has the current content. The comparison is weak, with any entry of a list, or with `*`, as
    /// RFC 9110 §13.1.2 requires.
    private func isKnown(to request: HTTPRequest) -> Bool {
        let field = HTTPField.Name.ifNoneMatch
        guard request.headerFields.contains(field) else { return false }
        return request.headerFields[values: field].flatMap { $0.split(separator: ",") }.contains { tag in
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
    func answer<Document: Encodable>(
        to request: HTTPRequest, version: [String] = [], _ make: () throws -> Document
    ) throws -> StandingAnswer {
        let known = encoded.withLock { $0?.version == version ? $0?.file : nil }
        if let known { return known.answer(to: request) }
        let file = PublicFile(
            try JSONBytesEncoder.encode(try make()), contentType: "application/json;charset=UTF-8",
            cacheControl: "public, max-age=900")
        encoded.withLock { $0 = (version, file) }
        return file.answer(to: request)
    }
}
