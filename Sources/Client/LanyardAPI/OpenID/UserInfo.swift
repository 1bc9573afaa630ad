/// What the userinfo endpoint says about a person. OpenID Connect Core section 5.3.
public struct UserInfo: Codable, Equatable, Sendable {
    /// The same as in the identity token; the client checks that.
    public var subject: String
    public var name: String?
    public var givenName: String?
    public var familyName: String?
    /// The user name of a managed account.
    public var preferredUserName: String?
    /// When the account was last changed, in seconds since 1970.
    public var updatedAt: Int?
    /// The language that the person has chosen, a BCP 47 tag.
    public var locale: String?
    public var email: String?
    /// Whether the provider vouches that the address is the person's.
    public var isEmailVerified: Bool?
    /// Whether the address is a hidden one, which forwards to the person's own.
    public var isPrivateEmail: Bool?
    /// The `Organization.id`; nil for a personal account, and without the scope `organization`.
    public var organizationID: String?
    /// What the person is in the organization, each role once. Nil for a personal account, and without the scope
    /// `roles`.
    public var roles: [RosterRole]?
    /// A student's grade, a free text. Only with the scope `roles`.
    public var grade: String?

    public init(
        subject: String,
        name: String? = nil,
        givenName: String? = nil,
        familyName: String? = nil,
        preferredUserName: String? = nil,
        updatedAt: Int? = nil,
        locale: String? = nil,
        email: String? = nil,
        isEmailVerified: Bool? = nil,
        isPrivateEmail: Bool? = nil,
        organizationID: String? = nil,
        roles: [RosterRole]? = nil,
        grade: String? = nil
    ) {
        self.subject = subject
        self.name = name
        self.givenName = givenName
        self.familyName = familyName
        self.preferredUserName = preferredUserName
        self.updatedAt = updatedAt
        self.locale = locale
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.isPrivateEmail = isPrivateEmail
        self.organizationID = organizationID
        self.roles = roles
        self.grade = grade
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        subject = try container.decode(String.self, forKey: .subject)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        givenName = try container.decodeIfPresent(String.self, forKey: .givenName)
        familyName = try container.decodeIfPresent(String.self, forKey: .familyName)
        preferredUserName = try container.decodeIfPresent(String.self, forKey: .preferredUserName)
        updatedAt = try container.decodeIfPresent(Int.self, forKey: .updatedAt)
        locale = try container.decodeIfPresent(String.self, forKey: .locale)
        email = try container.decodeIfPresent(String.self, forKey: .email)
        isEmailVerified = try container.decodeIfPresent(TruthValue.self, forKey: .isEmailVerified)?.value
        isPrivateEmail = try container.decodeIfPresent(TruthValue.self, forKey: .isPrivateEmail)?.value
        organizationID = try container.decodeIfPresent(String.self, forKey: .organizationID)
        // Other providers have claims of these names in other forms.
        roles = try? container.decodeIfPresent([RosterRole].self, forKey: .roles)
        grade = try? container.decodeIfPresent(String.self, forKey: .grade)
    }

    private enum CodingKeys: String, CodingKey {
        case subject = "sub"
        case name
        case givenName = "given_name"
        case familyName = "family_name"
        case preferredUserName = "preferred_username"
        case updatedAt = "updated_at"
        case locale
        case email
        case isEmailVerified = "email_verified"
        case isPrivateEmail = "is_private_email"
        case organizationID = "org_id"
        case roles
        case grade
    }
}
