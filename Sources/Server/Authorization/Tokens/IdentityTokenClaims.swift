import Crypto
import Directory
import Foundation
import Ground

/// The claims of an identity token. Claims that do not apply are left out. OpenID Connect Core §2;
/// docs/specifications/sign-in.md, 9.
struct IdentityTokenClaims: Encodable {
    let iss: String
    let aud: String
    let sub: String
    let iat: Int
    let exp: Int
    let authTime: Int
    let nonce: String?
    /// Tells compatible clients that a missing nonce was removed by an attacker.
    let nonceSupported: Bool?
    /// The organization that owns the account, or whose roster it is.
    var orgID: String?
    /// Only in tokens from the token endpoint.
    var atHash: String?
    /// Only in tokens that are sent with a code.
    var cHash: String?
    var email: String?
    var emailVerified: Flag?
    var isPrivateEmail: Flag?
    /// 0 unsupported, 1 unknown, 2 likely real. Only for native programs, at the first sign-in.
    var realUserStatus: Int?
    /// What the app may read of the organization's roster, separated by spaces.
    var scopes: String?
    /// The person's id for the app's former team, for 60 days after the transfer.
    var transferSub: String?
    var acr: String?
    /// The session at the client that the person has in this browser. OpenID Connect Back-Channel Logout §2.1.
    var sid: String?
    var amr: [String]?
    var name: String?
    var givenName: String?
    var familyName: String?
    var preferredUserName: String?
    /// Seconds since 1970.
    var updatedAt: Int?
    var locale: String?
    /// In the words of the Roster API.
    var roles: [String]?
    var grade: String?

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, iat, exp, nonce, email, scopes, acr, sid, amr, name, roles, grade
        case authTime = "auth_time"
        case nonceSupported = "nonce_supported"
        case orgID = "org_id"
        case atHash = "at_hash"
        case cHash = "c_hash"
        case emailVerified = "email_verified"
        case isPrivateEmail = "is_private_email"
        case realUserStatus = "real_user_status"
        case transferSub = "transfer_sub"
        case givenName = "given_name"
        case familyName = "family_name"
        case preferredUserName = "preferred_username"
        case updatedAt = "updated_at"
        case locale
    }

    mutating func put(_ claims: ProfileClaims) {
        name = claims.name
        givenName = claims.givenName
        familyName = claims.familyName
        preferredUserName = claims.preferredUserName
        updatedAt = claims.updatedAt
        locale = claims.locale
        orgID = claims.orgID
        roles = claims.roles
        grade = claims.grade
    }

    /// The left half of the SHA-256 of an access token or a code. OpenID Connect Core §3.1.3.6 and §3.3.2.11.
    static func hash(of text: String) -> String {
        Data(SHA256.hash(data: Data(text.utf8)).prefix(16)).base64URLEncoded
    }
}

/// A boolean, which older clients of the service that we are compatible with expect as a string.
struct Flag: Encodable {
    let isTrue: Bool
    let asText: Bool

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if asText { try container.encode(isTrue ? "true" : "false") } else { try container.encode(isTrue) }
    }
}
