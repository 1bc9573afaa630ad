/// A school whose files an import was of, as it was called then.
package struct ImportedSchool: Codable, Equatable, Sendable {
    /// `LO:` and a number.
    package let id: String
    /// `location_id` in the files.
    package let locationID: String
    package let name: String

    package init(id: LocationID, locationID: String, name: String) {
        self.id = "LO:\(id.rawValue)"
        self.locationID = locationID
        self.name = name
    }

    package var location: LocationID? { Int64(id.dropFirst("LO:".count)).map(LocationID.init(rawValue:)) }
}
