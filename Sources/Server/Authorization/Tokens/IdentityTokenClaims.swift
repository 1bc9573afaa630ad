import Directory
import Ground

/// The claims of an identity token. Claims that do not apply are left out. OpenID Connect Core §2;
/// docs/specifications/sign-in.md, 9.
struct IdentityTokenClaims {
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

    /// As JSON, in the order of the names.
    var json: [UInt8] {
        var object = ClaimsObject()
        object.put("acr", acr)
        object.put("amr", amr)
        object.put("at_hash", atHash)
        object.put("aud", aud)
        object.put("auth_time", authTime)
        object.put("c_hash", cHash)
        object.put("email", email)
        object.put("email_verified", emailVerified)
        object.put("exp", exp)
        object.put("family_name", familyName)
        object.put("given_name", givenName)
        object.put("grade", grade)
        object.put("iat", iat)
        object.put("is_private_email", isPrivateEmail)
        object.put("iss", iss)
        object.put("locale", locale)
        object.put("name", name)
        object.put("nonce", nonce)
        object.put("nonce_supported", nonceSupported)
        object.put("org_id", orgID)
        object.put("preferred_username", preferredUserName)
        object.put("real_user_status", realUserStatus)
        object.put("roles", roles)
        object.put("scopes", scopes)
        object.put("sid", sid)
        object.put("sub", sub)
        object.put("transfer_sub", transferSub)
        object.put("updated_at", updatedAt)
        return object.json
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
        Array(SecretHash(of: text).bytes.prefix(16)).base64URLEncoded
    }
}

/// A boolean, which older clients of the service that we are compatible with expect as a string.
struct Flag {
    let isTrue: Bool
    let asText: Bool
}

extension ClaimsObject {
    mutating func put(_ name: StaticString, _ flag: Flag?) {
        guard let flag else { return }
        if flag.asText { put(name, flag.isTrue ? "true" : "false") } else { put(name, flag.isTrue) }
    }
}
