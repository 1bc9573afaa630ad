/// A person of an organization, as `/users` and `/classes/{id}/users` show them.
///
/// The wire promises no field, so all are optional; a field without a value has no key, it is never `null`.
public struct User: Codable, Equatable, Sendable {
    /// Opaque; the same in `RosterClass.studentIDs` and `instructorIDs` and in the `sub` of the person's identity
    /// tokens.
    public var id: String?
    /// A contact address. Many people have none, young pupils in particular.
    public var email: String?
    public var givenName: String?
    public var middleName: String?
    public var familyName: String?
    /// Students only; free text, such as `7` or `K`.
    public var grade: String?
    /// The distinct roles of `roleLocationMapping`.
    public var roles: [RosterRole]?
    /// One entry for each role and place.
    public var roleLocationMapping: [RoleLocation]?
    public var dateCreated: Timestamp?
    public var dateLastModified: Timestamp?

    public init(
        id: String? = nil,
        email: String? = nil,
        givenName: String? = nil,
        middleName: String? = nil,
        familyName: String? = nil,
        grade: String? = nil,
        roles: [RosterRole]? = nil,
        roleLocationMapping: [RoleLocation]? = nil,
        dateCreated: Timestamp? = nil,
        dateLastModified: Timestamp? = nil
    ) {
        self.id = id
        self.email = email
        self.givenName = givenName
        self.middleName = middleName
        self.familyName = familyName
        self.grade = grade
        self.roles = roles
        self.roleLocationMapping = roleLocationMapping
        self.dateCreated = dateCreated
        self.dateLastModified = dateLastModified
    }
}

/// A role that a person holds at a place.
public struct RoleLocation: Codable, Equatable, Sendable {
    public var roleName: RosterRole?
    /// A `Location.id`, or the `Organization.id` for a role that is not tied to one location.
    public var locationID: String?

    public init(roleName: RosterRole? = nil, locationID: String? = nil) {
        self.roleName = roleName
        self.locationID = locationID
    }

    private enum CodingKeys: String, CodingKey {
        case roleName
        case locationID = "locationId"
    }
}
