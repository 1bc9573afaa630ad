#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A signed JWT in its compact form (RFC 7515 §7.1), taken apart and not trusted yet.
///
/// Anybody can send one, so it is read here and only what matters is looked at. JWT libraries read every header that there
/// may be, and have stumbled over numbers and nesting that nobody means.
package struct CompactJWT: Sendable {
    /// The members that choose a key and forbid what is not understood. All others may be anything: RFC 7515 §4 has whoever
    /// does not know a member ignore it, and names `crit` for those that may not be ignored.
    package struct Header: Decodable, Sendable {
        /// `alg`
        package let algorithm: String
        /// `kid`; nil if it is not there.
        package let keyID: String?
        /// `typ`; nil if it is not there, or no text.
        package let type: String?
        package let hasType: Bool
        /// `crit`, whatever it lists: RFC 7515 §4.1.11 has whoever does not understand it refuse the token.
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
        /// It has not three parts of base64url.
        case notCompact
        /// Its header is no JSON object with `alg`, or `kid` is no text.
        case header
    }

    package let header: Header
    /// JSON, or what the sender says is JSON.
    package let payload: Data
    /// The first two parts, as they came.
    package let signedBytes: Data
    package let signature: Data

    /// - Parameter bytesMax: of the whole text.
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

    /// - Returns: nil if the payload is not such a JSON object.
    package func claims<Claims: Decodable>(_ type: Claims.Type = Claims.self) -> Claims? {
        try? JSONDecoder().decode(Claims.self, from: payload)
    }
}
