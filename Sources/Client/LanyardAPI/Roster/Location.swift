/// A place of an organization, such as a school of a district.
///
/// The wire promises no field, so all are optional; a field without a value has no key, it is never `null`.
public struct Location: Codable, Equatable, Sendable {
    /// `LO:5501`. Other services of this family send the bare number here and the prefixed form in references.
    public var id: String?
    public var name: String?
    public var domain: String?
    /// `Europe/Berlin`, or an abbreviation such as `PST`.
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
