/// The organization that an access token belongs to.
///
/// All fields are optional, because the protocol guarantees none. A field without a value is absent, never `null`.
public struct Organization: Codable, Equatable, Sendable {
    /// A UUID in lower case; the `org_id` of identity tokens and notifications.
    public var id: String?
    /// Always `EDUCATION`.
    public var type: String?
    public var name: String?
    public var domains: [Domain]?
    public var dateCreated: Timestamp?
    public var dateLastModified: Timestamp?

    public init(
        id: String? = nil,
        type: String? = nil,
        name: String? = nil,
        domains: [Domain]? = nil,
        dateCreated: Timestamp? = nil,
        dateLastModified: Timestamp? = nil
    ) {
        self.id = id
        self.type = type
        self.name = name
        self.domains = domains
        self.dateCreated = dateCreated
        self.dateLastModified = dateLastModified
    }
}

/// A DNS name that an organization claims, verified or not.
public struct Domain: Codable, Equatable, Sendable {
    public var name: String?
    /// Only verified domains carry managed accounts.
    public var isVerified: Bool?

    public init(name: String? = nil, isVerified: Bool? = nil) {
        self.name = name
        self.isVerified = isVerified
    }
}
