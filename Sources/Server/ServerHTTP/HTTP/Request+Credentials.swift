import Authorization
import Foundation
import Ground
import HTTPTypes
import Hummingbird

extension Request {
    /// The text after `Bearer` (in upper or lower case) and one space in the Authorization header; empty if there is
    /// none. Nil without the header, and for another scheme. RFC 6750 §2.1.
    private var bearerCredentials: Substring? {
        let parts = (headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { return nil }
        return parts.count == 2 ? parts[1] : ""
    }

    /// The bearer token; nil without the header, for another scheme, and if nothing follows the scheme.
    var bearerToken: String? { bearerCredentials.flatMap { $0.isEmpty ? nil : String($0) } }

    /// The bearer token, where one is required. Further spaces around it are ignored.
    /// - Throws: ``MissingToken`` without the header or for another scheme; ``RosterRefusal/invalidToken(_:)`` unless
    ///   there is exactly one token.
    func requireBearerToken() throws -> String {
        guard let text = bearerCredentials else { throw MissingToken() }
        let words = text.split(separator: " ")
        guard words.count == 1 else {
            throw RosterRefusal.invalidToken("the Authorization header does not hold one token")
        }
        return String(words[0])
    }

    /// The client id and secret of the Authorization header, both of them form-encoded (RFC 6749 §2.3.1). Nil without
    /// the header, and for another scheme.
    /// - Throws: ``OAuthError`` `invalid_client` for a malformed header.
    func basicCredentials() throws -> (clientID: String, secret: String)? {
        guard let header = headers[.authorization] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.first?.lowercased() == "basic" else { return nil }
        guard parts.count == 2, let bytes = Data(base64Encoded: String(parts[1])),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":"),
            let clientID = FormEncoding.unescape(String(text[..<colon])),
            let secret = FormEncoding.unescape(String(text[text.index(after: colon)...])), !clientID.hasNUL
        else { throw OAuthError(.invalidClient, "the Basic credentials cannot be read") }
        return (clientID, secret)
    }
}

/// A call that needs a bearer token came without one.
struct MissingToken: Error {}
