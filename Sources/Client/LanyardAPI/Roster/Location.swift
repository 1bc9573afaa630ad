/// A place of an organization, such as a school of a district.
///
/// All fields are optional, because the protocol guarantees none. A field without a value is absent, never `null`.
public struct Location: Codable, Equatable, Sendable {
    /// For example `LO:5501`. Other services of this family send the bare number here and the prefixed form in
    /// references.
    public var id: String?
    public var name: String?
    /// The DNS name of the location or its organization.
    public var domain: String?
    /// An IANA name such as `Europe/Berlin`, or an abbreviation such as `PST`.
    public var timeZone: String?
    public var dateCreated: Timestamp?
    public var dateLastModified: Timestamp?

    public init(
        id: String? = nil,
        name: String? = nil,
        domain: String? = nil,
        timeZone: String? = nil,
        dateCreated: Timestamp? = nil,
        dateLastModified: Timestamp? = nil
    ) {
        self.id = id
        self.name = name
        self.domain = domain
        self.timeZone = timeZone
        self.dateCreated = dateCreated
        self.dateLastModified = dateLastModified
    }
}
