import Authorization
import Foundation
import Ground
import HTTPTypes
import Hummingbird

extension Request {
    /// What the Authorization header holds after `Bearer`, in whichever case, and one space; empty for nothing. Nil for
    /// no header, or one of another scheme. RFC 6750 §2.1.
    private var bearerCredentials: Substring? {
        let parts = (headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { return nil }
        return parts.count == 2 ? parts[1] : ""
    }

    /// Nil for no header, one of another scheme, and one with nothing behind the scheme.
    var bearerToken: String? { bearerCredentials.flatMap { $0.isEmpty ? nil : String($0) } }

    /// The same where nothing else would do. More spaces around the token are passed over.
    /// - Throws: ``MissingToken`` for no header or one of another scheme; ``RosterRefusal/invalidToken(_:)`` unless one
    ///   token stands there.
    func requireBearerToken() throws -> String {
        guard let text = bearerCredentials else { throw MissingToken() }
        let words = text.split(separator: " ")
        guard words.count == 1 else {
            throw RosterRefusal.invalidToken("the Authorization header does not hold one token")
        }
        return String(words[0])
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

/// A call that needs a bearer token came without one.
struct MissingToken: Error {}
