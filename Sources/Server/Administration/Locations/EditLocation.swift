import Directory
import Storage

/// Changes a location. Only the fields that are given change. The next import brings back the name of a location that
/// came from its files.
package struct EditLocation: Change {
    package typealias Answer = LocationRecord

    package static let name = "location.edit"
    package static let summary =
        "Changes a location. Only the fields that are given change. The next import brings back a name from its files."
    package static let privilege = Privilege.manageLocations
    package static let route = OperationRoute(.post, "locations/{location}")
    package static let explanations = [
        "location": LocationReference.explanation,
        "name": "The name.",
        "domain": "The domain of its people.",
        "timeZone": "The IANA name of its time zone, such as Europe/Berlin.",
        "studentPasswordPolicy":
            "What new pupils' passwords look like, unless their own record says: `4` or `6` digits, or `8` characters.",
        "clear": "Fields that are to be empty.",
    ]
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true

    /// A field that can be empty.
    package enum OptionalField: String, Codable, CaseIterable, Sendable {
        case domain
        case timeZone
        case studentPasswordPolicy
    }

    package let location: LocationReference
    package let name: String?
    package let domain: String?
    package let timeZone: String?
    package let studentPasswordPolicy: PasswordPolicy?
    package let clear: [OptionalField]?

    package init(
        location: LocationReference, name: String? = nil, domain: String? = nil, timeZone: String? = nil,
        studentPasswordPolicy: PasswordPolicy? = nil, clear: [OptionalField]? = nil
    ) {
        self.location = location
        self.name = name
        self.domain = domain
        self.timeZone = timeZone
        self.studentPasswordPolicy = studentPasswordPolicy
        self.clear = clear
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Location {
        try location.find(in: context.organizationToChange(transaction), transaction)
    }

    package func carryOut(on location: Location, _: Void, in act: Act) throws -> LocationRecord {
        func value<Value>(_ field: OptionalField, _ given: Value?, _ present: Value?) throws -> Value? {
            guard clear?.contains(field) == true else { return given ?? present }
            guard given == nil else {
                throw OperationError.invalid(field: field.rawValue, reason: "is given and also to be empty")
            }
            return nil
        }
        let newName = name ?? location.name
        let newDomain = try value(.domain, domain, location.domainName)
        let newTimeZone = try value(.timeZone, timeZone, location.timeZone)
        let newPolicy = try value(.studentPasswordPolicy, studentPasswordPolicy, location.studentPasswordPolicy)
        // If nothing is different, nothing is written: apps would take that for a change.
        guard
            (newName, newDomain, newTimeZone, newPolicy)
                != (location.name, location.domainName, location.timeZone, location.studentPasswordPolicy)
        else { return LocationRecord(location) }
        try location.update(
            name: newName, domainName: newDomain, timeZone: newTimeZone, studentPasswordPolicy: newPolicy,
            at: act.now, in: act.transaction)
        let changed = try Location.find(location.id, in: location.organizationID, act.transaction) ?? location
        let (before, after) = (LocationRecord(location), LocationRecord(changed))
        try act.record(.locationChanged, on: location, called: changed.name, Self.differences(before, after))
        let emptied: [OptionalField?] = [
            before.domain == nil ? .domain : nil, before.timeZone == nil ? .timeZone : nil,
            before.studentPasswordPolicy == nil ? .studentPasswordPolicy : nil,
        ]
        act.undo(
            by: EditLocation(
                location: LocationReference(location.id), name: before.name, domain: before.domain,
                timeZone: before.timeZone, studentPasswordPolicy: before.studentPasswordPolicy,
                clear: emptied.compactMap(\.self)))
        return after
    }

    /// Which fields have changed. How pupils' passwords are made decides how easily they are guessed, so the trail has
    /// both values.
    private static func differences(_ before: LocationRecord, _ after: LocationRecord) -> String {
        func policy(_ record: LocationRecord) -> String { (record.studentPasswordPolicy ?? .standard).rawValue }
        return [
            before.name == after.name ? nil : "name", before.domain == after.domain ? nil : "domain",
            before.timeZone == after.timeZone ? nil : "time zone",
            policy(before) == policy(after) ? nil : "pupils' passwords \(policy(before)) → \(policy(after))",
        ].compactMap(\.self).joined(separator: ", ")
    }
}
