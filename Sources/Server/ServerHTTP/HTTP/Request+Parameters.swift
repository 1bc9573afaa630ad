import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// - Throws: ``OAuthError`` `invalid_request` for a broken escape.
    func queryParameters() throws -> Authorization.Parameters {
        guard let fields = FormEncoding.decode(uri.query ?? "") else {
            throw OAuthError(.invalidRequest, "the query is not percent-encoded UTF-8")
        }
        return Authorization.Parameters(fields)
    }

    /// - Throws: ``OAuthError`` `invalid_request` for another content type, a broken escape or too long a body.
    func formParameters(_ context: AppContext) async throws -> Authorization.Parameters {
        guard let fields = FormEncoding.decode(try await formText(context)) else {
            throw OAuthError(.invalidRequest, "the body is not percent-encoded UTF-8")
        }
        return Authorization.Parameters(fields)
    }

    /// The same before it is taken apart.
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
        let form = "application/x-www-form-urlencoded"
        // As nearly all send it.
        if headers[.contentType] == form { return }
        let type = headers[.contentType]?.split(separator: ";").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        guard type?.first == form else {
            throw OAuthError(.invalidRequest, "the content type is not \(form)")
        }
        // It is read as UTF-8, whatever it is said to be.
        let charset = type?.first { $0.hasPrefix("charset=") }?.dropFirst("charset=".count)
            .trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        guard charset == nil || charset == "utf-8" else {
            throw OAuthError(.invalidRequest, "the charset of the content type is not utf-8")
        }
    }

    /// Whether a browser says that a page of ours sent the request. Nobody else's page can make it say so.
    var isOfOwnPage: Bool { headers[.fetchSite] == "same-origin" }

    /// Whether the client rather reads JSON than a page.
    var prefersJSON: Bool {
        let accept = headers[.accept] ?? ""
        return accept.contains("application/json") && !accept.contains("text/html")
    }
}

extension Origin {
    static func request(_ context: AppContext) -> Origin { .request(context.id, address: context.remoteAddress) }
}

extension HTTPField.Name {
    /// Fetch Metadata Request Headers §2.3.
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!  // a valid token
}
