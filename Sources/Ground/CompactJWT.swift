#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A signed JWT in its compact form (RFC 7515 §7.1), split into its parts. The signature is not verified.
///
/// Anyone can send one, so only the header members that are needed are decoded. JWT libraries decode all of them, and
/// have crashed on unusual numbers and nesting.
package struct CompactJWT: Sendable {
    /// The members that select the key, and `crit`. All others are ignored, as RFC 7515 §4 requires for members that
    /// are not understood; those that must not be ignored are listed in `crit`.
    package struct Header: Decodable, Sendable {
        /// `alg`
        package let algorithm: String
        /// `kid`; nil if absent.
        package let keyID: String?
        /// `typ`; nil if absent or not a string.
        package let type: String?
        package let hasType: Bool
        /// Whether there is a `crit`, with any value. Callers must then reject the token, since we understand no
        /// extension (RFC 7515 §4.1.11).
        package let hasCritical: Bool

        private enum CodingKeys: String, CodingKey {
            case alg, kid, typ, crit
        }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            algorithm = try container.decode(String.self, forKey: .alg)
            keyID = try container.decodeIfPresent(String.self, forKey: .kid)
            type = try? container.decode(String.self, forKey: .typ)
            hasType = container.contains(.typ)
            hasCritical = container.contains(.crit)
        }
    }

    package enum Problem: Error {
        case tooLong
        /// It does not consist of three parts in base64url.
        case notCompact
        /// Its header is not a JSON object with a string `alg`, or `kid` is not a string.
        case header
    }

    package let header: Header
    /// The decoded second part. It is meant to be JSON, but this is not checked.
    package let payload: Data
    /// The first two parts with the dot between them, as received.
    package let signedBytes: Data
    package let signature: Data

    /// - Parameter bytesMax: the maximum size of `text`.
    package init(_ text: String, bytesMax: Int) throws(Problem) {
        guard text.utf8.count <= bytesMax else { throw .tooLong }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
        guard parts.count == 3, let headerJSON = Data(base64URLEncoded: parts[0]),
            let payload = Data(base64URLEncoded: parts[1]), let signature = Data(base64URLEncoded: parts[2])
        else { throw .notCompact }
        guard let header = try? JSONDecoder().decode(Header.self, from: headerJSON) else { throw .header }
        self.header = header
        self.payload = payload
        self.signature = signature
        signedBytes = Data(text.utf8.dropLast(parts[2].utf8.count + 1))
    }

    /// - Returns: nil if the payload does not decode as `Claims`.
    package func claims<Claims: Decodable>(_ type: Claims.Type = Claims.self) -> Claims? {
        try? JSONDecoder().decode(Claims.self, from: payload)
    }
}
