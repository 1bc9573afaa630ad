/// What the userinfo endpoint says about a person. OpenID Connect Core section 5.3.
public struct UserInfo: Codable, Equatable, Sendable {
    /// The same as in the identity token; the client checks that.
    public var subject: String
    public var name: String?
    public var givenName: String?
    public var familyName: String?
    public var email: String?
    public var isEmailVerified: Bool?
    /// The `Organization.id`; nil for a personal account.
    public var organizationID: String?

    public init(
        subject: String,
        name: String? = nil,
        givenName: String? = nil,
        familyName: String? = nil,
        email: String? = nil,
        isEmailVerified: Bool? = nil,
        organizationID: String? = nil
    ) {
        self.subject = subject
        self.name = name
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.organizationID = organizationID
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        subject = try container.decode(String.self, forKey: .subject)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        givenName = try container.decodeIfPresent(String.self, forKey: .givenName)
        familyName = try container.decodeIfPresent(String.self, forKey: .familyName)
        email = try container.decodeIfPresent(String.self, forKey: .email)
        isEmailVerified = try container.decodeIfPresent(TruthValue.self, forKey: .isEmailVerified)?.value
        organizationID = try container.decodeIfPresent(String.self, forKey: .organizationID)
    }

    private enum CodingKeys: String, CodingKey {
        case subject = "sub"
        case name
        case givenName = "given_name"
        case familyName = "family_name"
        case email
        case isEmailVerified = "email_verified"
        case organizationID = "org_id"
    }
}
