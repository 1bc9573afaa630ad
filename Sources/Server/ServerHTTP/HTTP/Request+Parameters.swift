import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// - Throws: ``OAuthError`` `invalid_request` for a malformed escape.
    func queryParameters() throws -> RequestParameters {
        guard let fields = FormEncoding.decode(uri.query ?? "") else {
            throw OAuthError(.invalidRequest, "the query is not percent-encoded UTF-8")
        }
        return RequestParameters(fields)
    }

    /// - Throws: ``OAuthError`` `invalid_request` for another content type, a malformed escape or a body that is too
    ///   long.
    func formParameters(_ context: AppContext) async throws -> RequestParameters {
        guard let fields = FormEncoding.decode(try await formText(context)) else {
            throw OAuthError(.invalidRequest, "the body is not percent-encoded UTF-8")
        }
        return RequestParameters(fields)
    }

    /// The text of the form, not parsed yet.
    func formText(_ context: AppContext) async throws -> String {
        try requireFormType()
        let buffer: ByteBuffer
        do {
            buffer = try await body.collect(upTo: context.maxUploadSize)
        } catch is NIOTooManyBytesError {
            throw OAuthError(.invalidRequest, "the body is longer than \(context.maxUploadSize) bytes")
        }
        guard let text = String(validating: buffer.readableBytesView, as: UTF8.self) else {
            throw OAuthError(.invalidRequest, "the body is not percent-encoded UTF-8")
        }
        return text
    }

    private func requireFormType() throws {
        let form = FormEncoding.contentType
        // Nearly all clients send exactly this.
        if headers[.contentType] == form { return }
        let type = headers[.contentType]?.split(separator: ";").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        guard type?.first == form else {
            throw OAuthError(.invalidRequest, "the content type is not \(form)")
        }
        // The body is read as UTF-8 in any case, so another charset is refused.
        let charset = type?.first { $0.hasPrefix("charset=") }?.dropFirst("charset=".count)
            .trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        guard charset == nil || charset == "utf-8" else {
            throw OAuthError(.invalidRequest, "the charset of the content type is not utf-8")
        }
    }

    /// Whether the browser says that one of our own pages sent the request. No other page can make it say so.
    var isOfOwnPage: Bool { headers[.fetchSite] == "same-origin" }

    /// Whether the client prefers JSON to a page.
    var prefersJSON: Bool {
        let accept = headers[.accept] ?? ""
        return accept.contains("application/json") && !accept.contains("text/html")
    }
}

extension Origin {
    static func request(_ context: AppContext) -> Origin { .request(context.id, address: context.remoteAddress) }
}

extension HTTPField.Name {
    /// Defined in Fetch Metadata Request Headers §2.3.
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!  // a valid token
}
