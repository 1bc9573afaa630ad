import Crypto
import Ground
import HTTPTypes
import Hummingbird
import NIOCore
import Storage
import Synchronization

/// A file at an address whose content may change. Browsers keep it for a while, and then ask whether it is still the same.
///
/// It is compressed once, for clients that accept `gzip`. Where a page has a secret and something that a visitor has sent, its compressed
/// length tells about the secret; a public file has neither.
struct PublicFile: Sendable {
    private let plain: Representation
    /// nil if that is not worth its while.
    private let compressed: Representation?

    /// Headers are the greater part of what is sent for a smaller file.
    private static let compressedBytesMin = 1_000

    /// - Parameters:
    ///   - cacheControl: by default, browsers keep it for an hour.
    ///   - isForAllSites: whether pages of any site may load it.
    init(
        _ bytes: [UInt8], contentType: String, cacheControl: String = "public, max-age=3600", isForAllSites: Bool = true
    ) {
        let digest = Array(SHA256.hash(data: bytes).prefix(16)).hexadecimal
        var fields: HTTPFields = [.contentType: contentType, .cacheControl: cacheControl]
        if isForAllSites {
            fields[.resourcePolicy] = "cross-origin"
            fields[.accessControlAllowOrigin] = "*"
        }
        let gzip = bytes.count < Self.compressedBytesMin ? nil : Gzip.compressed(bytes)
        if gzip != nil { fields[.vary] = "Accept-Encoding" }
        plain = Representation(bytes, entityTag: "\"\(digest)\"", fields)
        fields[.contentEncoding] = "gzip"
        // Other bytes, and so another tag: RFC 9110 §8.8.3.3.
        compressed = gzip.map { [fields] in Representation($0, entityTag: "\"\(digest)-gzip\"", fields) }
    }

    /// - Parameter asked: the headers of the request, of which ``StandingAnswers/conditions`` matter.
    func answer(to asked: HTTPFields) -> StandingAnswer {
        guard let compressed, asked.takesGzip else { return plain.answer(to: asked) }
        return compressed.answer(to: asked)
    }

    /// The file in one coding.
    private struct Representation: Sendable {
        let whole: StandingAnswer
        /// For who has the current content already.
        let unchanged: StandingAnswer
        let entityTag: String

        init(_ bytes: [UInt8], entityTag: String, _ fields: HTTPFields) {
            var fields = fields
            fields[.eTag] = entityTag
            self.entityTag = entityTag
            whole = StandingAnswer(fields, body: ByteBuffer(bytes: bytes))
            unchanged = StandingAnswer(status: .notModified, fields)
        }

        func answer(to asked: HTTPFields) -> StandingAnswer {
            asked[values: .ifNoneMatch].contains(where: isIn) ? unchanged : whole
        }

        /// Whether a list of tags has the one of the current content, or is `*`, which means any. The comparison is weak, as RFC 9110
        /// §13.1.2 requires. What is behind something that is no tag counts for nothing.
        private func isIn(_ tags: String) -> Bool {
            // What nearly every client sends.
            if tags == entityTag || tags == "*" { return true }
            let quote = UInt8(ascii: "\"")
            var rest = tags.utf8[...]
            while true {
                rest = rest.drop { " \t,".utf8.contains($0) }
                if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
                guard rest.first == quote, let end = rest.dropFirst().firstIndex(of: quote) else { return false }
                if rest[...end].elementsEqual(entityTag.utf8) { return true }
                rest = rest[end...].dropFirst()
            }
        }
    }
}

extension HTTPFields {
    /// Whether content may be compressed with `gzip`: `Accept-Encoding` names it, or names any by `*`, with no weight of zero.
    /// RFC 9110 §12.5.3.
    fileprivate var takesGzip: Bool {
        var (named, any): (Bool?, Bool?) = (nil, nil)
        for entry in self[values: .acceptEncoding].flatMap({ $0.split(separator: ",") }) {
            let parts = entry.split(separator: ";").map { $0.trimmingSpaces.lowercased() }
            // A weight of zero has no other digit: `q=0`, `q=0.0`.
            let isTaken = !parts.dropFirst().contains { weight in
                weight.hasPrefix("q=") && weight.dropFirst(2).allSatisfy("0.".contains)
            }
            switch parts.first {
            case "gzip", "x-gzip": named = isTaken
            case "*": any = isTaken
            default: break
            }
        }
        return named ?? any ?? false
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
        to asked: HTTPFields, version: [String] = [], _ make: () throws -> Document
    ) throws -> StandingAnswer {
        let known = encoded.withLock { $0?.version == version ? $0?.file : nil }
        if let known { return known.answer(to: asked) }
        let file = PublicFile(
            try JSONBytesEncoder.encode(try make()), contentType: "application/json;charset=UTF-8",
            cacheControl: "public, max-age=900")
        encoded.withLock { $0 = (version, file) }
        return file.answer(to: asked)
    }
}
