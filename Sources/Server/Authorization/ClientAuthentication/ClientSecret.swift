import Crypto
import Directory
import Foundation
import Ground

/// The claims of a client secret: a JWT that the team signs with its own key, ES256.
struct ClientSecretClaims: Decodable {
    let iss: String
    let iat: Double?
    let nbf: Double?
    let exp: Double
    let aud: Audience
    let sub: String
    /// Of an assertion, which is used once. In client secrets it may be anything.
    let jti: LooseText?

    /// `jti`, without which an assertion could be used again. OpenID Connect Core §9.
    /// - Throws: ``OAuthError`` `invalid_client` unless it is a text that is not empty.
    var requiredID: String {
        get throws {
            guard let text = jti?.text, !text.isEmpty else {
                throw OAuthError(.invalidClient, "the client assertion has no jti that is a text")
            }
            return text
        }
    }

    /// Text, or something else that does not matter.
    struct LooseText: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
    }

    /// One string, or an array. RFC 7519 §4.1.3.
    struct Audience: Decodable {
        let all: [String]
        /// Nil if there is not just one.
        var only: String? { all.count == 1 ? all[0] : nil }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {
                all = [one]
            } else {
                all = try container.decode([String].self)
            }
        }
    }
}

/// A client secret, taken apart but not trusted yet.
///
/// Anybody can send one, so it is taken apart here and not by a JWT library: those that read every header there
/// may be have stumbled over numbers and nesting that no client sends.
struct ClientSecret {
    let keyID: String
    let claims: ClientSecretClaims
    private let signedBytes: Data
    private let signature: Data

    static let bytesMax = 4_096

    /// The members that matter; all others, `typ` among them, may be anything: RFC 7515 §4 has whoever does not know a
    /// member ignore it, and names `crit` for those that may not be ignored. So does `b64` (RFC 7797 §6), which means
    /// nothing without; what was signed is here always the text as it came. `zip` is a member of encrypted tokens
    /// alone.
    private struct Header: Decodable {
        let algorithm: String
        let keyID: String?
        let hasCritical: Bool

        enum CodingKeys: String, CodingKey {
            case alg, kid, crit
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            algorithm = try container.decode(String.self, forKey: .alg)
            keyID = try container.decodeIfPresent(String.self, forKey: .kid)
            hasCritical = container.contains(.crit)
        }
    }

    /// - Throws: ``OAuthError`` `invalid_client`
    init(_ text: String) throws {
        guard text.utf8.count <= Self.bytesMax else {
            throw OAuthError(.invalidClient, "the client secret is longer than \(Self.bytesMax) bytes")
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let headerJSON = Data(base64URLEncoded: parts[0]),
            let claimsJSON = Data(base64URLEncoded: parts[1]), let signature = Data(base64URLEncoded: parts[2])
        else { throw OAuthError(.invalidClient, "the client secret is no signed JWT in compact form") }
        guard let header = try? JSONDecoder().decode(Header.self, from: headerJSON) else {
            throw OAuthError(.invalidClient, "the header of the client secret is no JSON with alg and kid")
        }
        guard header.algorithm == "ES256" else {
            throw OAuthError(
                .invalidClient, "the client secret is signed with \(header.algorithm.prefix(16)), not ES256")
        }
        // RFC 7515 §4.1.11: who does not understand a critical header must refuse it.
        guard !header.hasCritical else { throw OAuthError(.invalidClient, "the client secret has critical headers") }
        guard let keyID = header.keyID, keyID.utf8.count <= 64, keyID.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw OAuthError(.invalidClient, "the client secret names no key (kid)") }
        guard let claims = try? JSONDecoder().decode(ClientSecretClaims.self, from: claimsJSON) else {
            throw OAuthError(.invalidClient, "the client secret lacks one of iss, exp, aud and sub")
        }
        guard !claims.sub.utf8.contains(0) else { throw OAuthError(.invalidClient, "sub holds a NUL byte") }
        self.keyID = keyID
        self.claims = claims
        self.signature = signature
        signedBytes = Data("\(parts[0]).\(parts[1])".utf8)
    }

    /// Whether the signature, 64 bytes `r‖s`, was made with the key. ASN.1 DER is no such signature. Both values of `s`
    /// count, as RFC 7518 §3.4 has it: half of what libraries make has the high one, and nothing rests on there being
    /// but one text of a signature, since assertions are told apart by `jti`.
    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard signature.count == 64, let raw = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
        }
        return key.isValidSignature(raw, for: signedBytes)
    }
}
