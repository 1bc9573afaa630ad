import Crypto
import Directory
import Foundation
import Ground

/// The claims of an identity token. What does not apply is left out. OpenID Connect Core §2;
/// docs/specifications/sign-in.md, 9.
struct IdentityTokenClaims: Encodable {
    let iss: String
    let aud: String
    let sub: String
    let iat: Int
    let exp: Int
    let authTime: Int
    let nonce: String?
    /// Tells compatible clients that a nonce which is missing was taken out by somebody.
    let nonceSupported: Bool?
    /// The organization that owns the account, or whose roster it is.
    var orgID: String?
    /// In tokens from the token endpoint.
    var atHash: String?
    /// In tokens that travel with a code.
    var cHash: String?
    var email: String?
    var emailVerified: Flag?
    var isPrivateEmail: Flag?
    /// 0 unsupported, 1 unknown, 2 likely real: native programs, the first time.
    var realUserStatus: Int?
    /// What the app may read of the organization's roster, separated by spaces.
    var scopes: String?
    /// The person as the app's former team knew them, for 60 days.
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

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, iat, exp, nonce, email, scopes, acr, sid, amr, name
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
    }

    /// The left half of the SHA-256 of an access token or a code. OpenID Connect Core §3.1.3.6 and §3.3.2.11.
    static func hash(of text: String) -> String {
        Data(SHA256.hash(data: Data(text.utf8)).prefix(16)).base64URLEncoded
    }
}

/// A truth, which older clients of the service that we are compatible with expect as text.
struct Flag: Encodable {
    let isTrue: Bool
    let asText: Bool

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if asText { try container.encode(isTrue ? "true" : "false") } else { try container.encode(isTrue) }
    }
}

/// How people signed in, for standard clients: `acr`, one factor each. OpenID Connect Core §2 leaves the values to the
/// parties.
package enum AuthenticationContext: String, CaseIterable, Sendable {
    case password = "urn:lanyard:acr:password"
    /// The key of a registered device, with nobody at the keyboard.
    case deviceKey = "urn:lanyard:acr:device-key"

    init(device: RegisteredDeviceID?) { self = device == nil ? .password : .deviceKey }

    /// `amr`, RFC 8176. `hwk` would say that hardware guards the key, which no device has proved to the server yet.
    var methods: [String] {
        switch self {
        case .password: ["pwd"]
        case .deviceKey: ["swk"]
        }
    }
}
