/// What a person is to an organization, a location or a class. An open set: a role that is not named here still
/// decodes.
public struct RosterRole: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let student = RosterRole(rawValue: "Student")
    public static let instructor = RosterRole(rawValue: "Instructor")
    /// Never a role in a class.
    public static let staff = RosterRole(rawValue: "Staff")
}
