import Crypto
import Directory
import Foundation
import Ground

/// The claims of what a client proves with who it is: a client secret, which the team signs with its own key, or
/// an assertion, which the client signs (RFC 7523 §2.2). Both are ES256.
struct ClientSecretClaims: Decodable {
    let iss: String
    let iat: Double?
    let nbf: Double?
    let exp: Double
    let aud: Audience
    let sub: String
    /// The id of an assertion, which can be used once. In client secrets it may be anything.
    let jti: LooseText?

    /// `jti`, without which an assertion could be used again. OpenID Connect Core §9.
    /// - Throws: ``OAuthError`` `invalid_client` unless it is a non-empty string.
    var requiredID: String {
        get throws {
            guard let text = jti?.text, !text.isEmpty else {
                throw OAuthError(.invalidClient, "the client assertion has no jti that is a text")
            }
            return text
        }
    }

    /// A string; any other JSON value is accepted and ignored.
    struct LooseText: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
    }

    /// One string or an array of strings. RFC 7519 §4.1.3.
    struct Audience: Decodable {
        let all: [String]
        /// The only audience; nil if there are several or none.
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

/// A parsed client secret, or an assertion in its place, whose signature is not checked yet. Of its header members,
/// only `alg`, `kid` and `crit` matter: `b64` (RFC 7797 §6) has no effect without `crit`, and `zip` belongs to
/// encrypted tokens.
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
        guard !claims.sub.hasNUL else { throw OAuthError(.invalidClient, "sub holds a NUL byte") }
        self.keyID = keyID
        self.claims = claims
    }

    /// Whether the signature, 64 bytes `r‖s`, was made with the key. ASN.1 DER is not accepted. Both possible values of
    /// `s` are (RFC 7518 §3.4): many libraries produce the high one, and it does not matter that a signature has two
    /// spellings, because repeated assertions are recognized by `jti`.
    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard token.signature.count == 64,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)
        else { return false }
        return key.isValidSignature(signature, for: token.signedBytes)
    }
}
