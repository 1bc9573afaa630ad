import Crypto
import Foundation
import JWTKit

/// The claims of a client secret: a JWT that the team signs with its own key, ES256.
struct ClientSecretClaims: JWTPayload {
    let iss: String
    let iat: Double
    let exp: Double
    let aud: AudienceClaim
    let sub: String

    /// The caller checks every claim itself: the reasons differ.
    func verify(using algorithm: some JWTAlgorithm) throws {}
}

/// A client secret, taken apart but not trusted yet.
struct ClientSecret {
    let keyID: String
    let claims: ClientSecretClaims
    private let signedBytes: Data
    private let signature: Data

    static let bytesMax = 4_096

    /// - Throws: ``OAuthError`` `invalid_client`
    init(_ text: String) throws {
        guard text.utf8.count <= Self.bytesMax else {
            throw OAuthError(.invalidClient, "the client secret is longer than \(Self.bytesMax) bytes")
        }
        let header: JWTHeader
        do {
            (header, claims, signature) = try DefaultJWTParser().parse(
                Array(text.utf8), as: ClientSecretClaims.self)
        } catch {
            throw OAuthError(.invalidClient, "the client secret is no JWT with iss, iat, exp, aud and sub")
        }
        guard header.alg == "ES256" else {
            throw OAuthError(.invalidClient, "the client secret is signed with \(header.alg ?? "nothing"), not ES256")
        }
        guard let keyID = header.kid else { throw OAuthError(.invalidClient, "the client secret names no key (kid)") }
        // RFC 7515 §4.1.11: who does not understand a critical header must refuse it.
        guard header.crit == nil else { throw OAuthError(.invalidClient, "the client secret has critical headers") }
        self.keyID = keyID
        signedBytes = Data(text.utf8.prefix(upTo: text.utf8.lastIndex(of: UInt8(ascii: "."))!))  // it has two dots
    }

    /// Whether the signature, 64 bytes `r‖s`, was made with the key. ASN.1 DER is no such signature.
    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard signature.count == 64, let raw = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
        }
        return key.isValidSignature(raw, for: signedBytes)
    }
}
