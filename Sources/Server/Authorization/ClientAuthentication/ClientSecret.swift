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

/// A client secret, taken apart but not trusted yet. Of its header all members but `alg`, `kid` and `crit` may be anything:
/// `b64` (RFC 7797 §6) means nothing without `crit`, and `zip` is a member of encrypted tokens alone.
struct ClientSecret {
    let keyID: String
    let claims: ClientSecretClaims
    private let token: CompactJWT

    static let bytesMax = 4_096

    /// - Throws: ``OAuthError`` `invalid_client`
    init(_ text: String) throws {
        do {
            token = try CompactJWT(text, bytesMax: Self.bytesMax)
        } catch .tooLong {
            throw OAuthError(.invalidClient, "the client secret is longer than \(Self.bytesMax) bytes")
        } catch .notCompact {
            throw OAuthError(.invalidClient, "the client secret is no signed JWT in compact form")
        } catch .header {
            throw OAuthError(.invalidClient, "the header of the client secret is no JSON with alg and kid")
        }
        let header = token.header
        guard header.algorithm == "ES256" else {
            throw OAuthError(
                .invalidClient, "the client secret is signed with \(header.algorithm.prefix(16)), not ES256")
        }
        guard !header.hasCritical else { throw OAuthError(.invalidClient, "the client secret has critical headers") }
        guard let keyID = header.keyID, keyID.utf8.count <= 64, keyID.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw OAuthError(.invalidClient, "the client secret names no key (kid)") }
        guard let claims = token.claims(ClientSecretClaims.self) else {
            throw OAuthError(.invalidClient, "the client secret lacks one of iss, exp, aud and sub")
        }
        guard !claims.sub.utf8.contains(0) else { throw OAuthError(.invalidClient, "sub holds a NUL byte") }
        self.keyID = keyID
        self.claims = claims
    }

    /// Whether the signature, 64 bytes `r‖s`, was made with the key. ASN.1 DER is no such signature. Both values of `s`
    /// count, as RFC 7518 §3.4 has it: half of what libraries make has the high one, and nothing rests on there being
    /// but one text of a signature, since assertions are told apart by `jti`.
    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard token.signature.count == 64,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)
        else { return false }
        return key.isValidSignature(signature, for: token.signedBytes)
    }
}
