import Crypto
import Directory
import Foundation

/// The claims of the identity token that comes with an access token: who consented, for which organization.
/// OpenID Connect Core §2; `org_id` is the organization's public id.
struct IdentityTokenClaims: Encodable {
    let iss: String
    let aud: String
    let sub: String
    let iat: Int
    let exp: Int
    let authTime: Int
    let nonce: String?
    let nonceSupported: Bool
    let orgID: String
    let atHash: String

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, iat, exp, nonce
        case authTime = "auth_time"
        case nonceSupported = "nonce_supported"
        case orgID = "org_id"
        case atHash = "at_hash"
    }

    static let lifetime: TimeInterval = 3_600

    /// The left half of the token's SHA-256. OpenID Connect Core §3.1.3.6.
    static func hash(of accessToken: String) -> String {
        Data(SHA256.hash(data: Data(accessToken.utf8)).prefix(16)).base64URLEncoded
    }
}
