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
        .change({ _ in RemoveLocation(location: gym) }, after: addGym),
        .change({ _ in RestoreLocation(location: gym) }) { scene, person in
            try await addGym(scene, person)
            _ = try await scene.operator.perform(RemoveLocation(location: gym), in: scene.maple)
        },
    ]

    private static let gym = LocationReference("Old Gym")

    /// A location at which nothing stands.
    private static let addGym: Prepare = { scene, _ in
        _ = try await scene.operator.perform(AddLocation(name: "Old Gym"), in: scene.maple)
    }
}

extension Scene {
    package static func locations(of organization: OrganizationID, in transaction: some Transaction) throws -> [String]
    {
        try transaction.all(
            """
            SELECT name, domain_name, time_zone, student_password_policy, archived_at FROM location
            WHERE organization_id = $1 ORDER BY id
            """, [organization]
        ) { row in
            "location \(try row["name"] as String) \(try row["domain_name"] as String?) "
                + "\(try row["time_zone"] as String?) \(try row["student_password_policy"] as String?) "
                + "\(try row["archived_at"] as Int?)"
        }
    }
}
