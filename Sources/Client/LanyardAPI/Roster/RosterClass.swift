/// A class, with all its members; the wire calls it `Class`. There are no enrollment records beside it.
///
/// All fields are optional, because the protocol guarantees none. A field without a value is absent, never `null`.
public struct RosterClass: Codable, Equatable, Sendable {
    public var id: String?
    public var name: String?
    /// The nickname, if the class has one; never a copy of `name`.
    public var displayName: String?
    /// The class number, a text such as `SCI-7B`.
    public var number: String?
    public var room: String?
    /// The `Location.id` of the class.
    public var locationID: String?
    /// `User.id` values.
    public var instructorIDs: [String]?
    /// `User.id` values.
    public var studentIDs: [String]?
    public var dateCreated: Timestamp?
    public var dateLastModified: Timestamp?

    public init(
        id: String? = nil,
        name: String? = nil,
        displayName: String? = nil,
        number: String? = nil,
        room: String? = nil,
        locationID: String? = nil,
        instructorIDs: [String]? = nil,
        studentIDs: [String]? = nil,
        dateCreated: Timestamp? = nil,
        dateLastModified: Timestamp? = nil
    ) {
        self.id = id
        self.name = name
        self.displayName = displayName
        self.number = number
        self.room = room
        self.locationID = locationID
        self.instructorIDs = instructorIDs
        self.studentIDs = studentIDs
        self.dateCreated = dateCreated
        self.dateLastModified = dateLastModified
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, displayName, number, room
        case locationID = "locationId"
        case instructorIDs = "instructorIds"
        case studentIDs = "studentIds"
        case dateCreated, dateLastModified
    }
}
