import Directory
import Storage

/// Adds a location by hand.
package struct AddLocation: Change {
    package typealias Answer = LocationRecord

    package static let name = "location.add"
    package static let summary = "Adds a location by hand: a school, a building, an office."
    package static let privilege = Privilege.manageLocations
    package static let route = OperationRoute(.post, "locations")
    package static let explanations = [
        "name": "The name, such as Maple High.",
        "locationID": "Its id in the school's own records: letters, digits, hyphens.",
        "domain": "The domain of its people.",
        "timeZone": "The IANA name of its time zone, such as Europe/Berlin.",
        "studentPasswordPolicy":
            "What new pupils' passwords look like, unless their own record says: `4` or `6` digits, or `8` characters.",
    ]
    package static let undo = UndoRule.possible

    package let name: String
    package let locationID: String?
    package let domain: String?
    package let timeZone: String?
    package let studentPasswordPolicy: PasswordPolicy?

    package init(
        name: String, locationID: String? = nil, domain: String? = nil, timeZone: String? = nil,
        studentPasswordPolicy: PasswordPolicy? = nil
    ) {
        self.name = name
        self.locationID = locationID
        self.domain = domain
        self.timeZone = timeZone
        self.studentPasswordPolicy = studentPasswordPolicy
    }

    package func carryOut(on organization: Organization, _: Void, in act: Act) throws -> LocationRecord {
        try act.checkRoom(for: .locations, in: organization)
        let locationID = try FieldRule.sourceID.checkIfPresent(locationID, field: "location id")
        if let locationID,
            try Location.find(sourceID: locationID, in: organization.id, act.transaction) != nil
        {
            throw OperationError.refused("\(organization.name) has a location with the id “\(locationID)” already.")
        }
        if let locationID,
            let removed = try Location.listArchived(called: locationID, in: organization.id, act.transaction)
                .first(where: { $0.sourceID == locationID })
        {
            throw OperationError.refused(
                "\(removed.name), which was removed, has the id “\(locationID)”. Restore it, and rename it if need be.",
                remedy: .init(RestoreLocation.name, "LO:\(removed.id.rawValue)"))
        }
        let location = try Location.insert(
            in: organization.id, sourceID: locationID, name: name, domainName: domain, timeZone: timeZone,
            studentPasswordPolicy: studentPasswordPolicy, at: act.now, in: act.transaction)
        try act.record(
            .locationCreated, on: location, called: location.name,
            studentPasswordPolicy.map { "pupils' passwords \($0.rawValue)" } ?? "")
        act.undo(by: RemoveLocation(location: LocationReference(location.id)))
        return LocationRecord(location)
    }
}
