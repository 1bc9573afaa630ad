import Authorization
import Foundation
import Ground
import HTTPTypes
import Hummingbird

extension Request {
    /// RFC 6750 §2.1.
    var bearerToken: String? {
        let parts = headers[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
    }

    /// RFC 6749 §2.3.1: both halves are form-encoded before they are put together. Nil for no header, or one of another
    /// scheme.
    /// - Throws: ``OAuthError`` `invalid_client` for a broken one.
    func basicCredentials() throws -> (clientID: String, secret: String)? {
        guard let header = headers[.authorization] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.first?.lowercased() == "basic" else { return nil }
        guard parts.count == 2, let bytes = Data(base64Encoded: String(parts[1])),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":"),
            let clientID = FormEncoding.unescape(String(text[..<colon])),
            let secret = FormEncoding.unescape(String(text[text.index(after: colon)...])), !clientID.utf8.contains(0)
        else { throw OAuthError(.invalidClient, "the Basic credentials cannot be read") }
        return (clientID, secret)
    }
}
