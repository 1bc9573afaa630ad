import Administration
import Directory
import Storage

extension Example {
    package static let locations: [Example] = [
        .inquiry { _ in ListLocations() },
        .inquiry { _ in ShowLocation(location: LocationReference("Maple District Main")) },
        .change { _ in AddLocation(name: "Maple Middle", locationID: "middle", timeZone: "Asia/Tokyo") },
        .change { _ in
            EditLocation(
                location: LocationReference("Maple District Main"), studentPasswordPolicy: .fourDigits,
                clear: [.timeZone])
        },
    ]
}

extension Scene {
    package static func locations(of organization: OrganizationID, in transaction: some Transaction) throws -> [String]
    {
        try transaction.all(
            """
            SELECT name, domain_name, time_zone, student_password_policy FROM location
            WHERE organization_id = $1 ORDER BY id
            """, [organization]
        ) { row in
            "location \(try row["name"] as String) \(try row["domain_name"] as String?) "
                + "\(try row["time_zone"] as String?) \(try row["student_password_policy"] as String?)"
        }
    }
}
