import Administration
import Directory
import Fixtures
import Storage
import TestSupport

extension Example {
    /// What administrators decide about the organization as a whole, and its domains.
    package static let organizations: [Example] = [
        .inquiry { _ in ShowOrganization() },
        .inquiry { _ in ListOrganizations() },
        .change { _ in SetOrganization.plum },
        .change { _ in SetPicture(picture: SamplePNG(64, 64).file) },
        .inquiry { _ in ListFindings() },
        .inquiry { _ in ShowMail() },
        .inquiry { _ in ShowActivity() },
        .inquiry { _ in ListDomains() },
        .change { _ in AddDomain(domain: domain) },
        .change({ _ in VerifyDomain(domain: domain) }, after: addDomain),
        .change({ _ in ProveDomain(domain: domain) }) { scene, _ in
            try await addDomain(scene, scene.pupil)
            let records = try await scene.operator.ask(ListDomains(), in: scene.maple).domains.compactMap(\.record)
            for record in records { scene.zone.add(record.value, at: record.name) }
        },
        .change({ _ in RemoveDomain(domain: domain) }, after: addDomain),
        .inquiry { _ in ListRealms() },
        .inquiry { _ in ShowRealmReach(matching: .userName, domain: "maple.example") },
        .change({ _ in SetRealm(realm: realm, matching: .userName, domain: "maple.example") }, after: verifyDomain),
        .change({ _ in RemoveRealm(realm: realm) }) { scene, person in
            try await verifyDomain(scene, person)
            _ = try await scene.operator.perform(
                SetRealm(realm: realm, matching: .personNumber), in: scene.maple)
        },
        .inquiry { _ in ListRoles() },
        .change { _ in SetRole(role: .manager, take: [.manageClasses]) },
        .change({ _ in CloseOrganization() }) { scene, _ in _ = try await scene.giveConsent() },
        .change({ _ in ReopenOrganization() }) { scene, _ in
            try await scene.closeMaple()
        },
    ]

    private static let domain = "pupils.maple.example"

    private static let realm = "AD.PUPILS.MAPLE.EXAMPLE"

    private static let verifyDomain: Prepare = { scene, _ in
        _ = try await scene.operator.perform(AddDomain(domain: domain, verified: true), in: scene.maple)
    }

    private static let addDomain: Prepare = { scene, _ in
        _ = try await scene.operator.perform(AddDomain(domain: domain), in: scene.maple)
    }

    /// About the only device, which is one of the person.
    package static let devices: [Example] = [
        .inquiry { ListDevices(person: $0) },
        .inquiry { _ in ShowSignOnProfile() },
        .inquiryInScene({ ShowDevice(device: try await device(in: $1)) }, after: register),
        .change { IssueDeviceCode(person: $0) },
        .changeInScene({ RemoveDevice(device: try await device(in: $1)) }, after: register),
    ]

    private static let register: Prepare = { scene, person in
        _ = try await scene.registerDevice(of: person)
    }

    private static func device(in scene: Scene) async throws -> String {
        try await scene.database.read { try $0.first("SELECT public_id FROM registered_device") { try $0[0] } } ?? ""
    }
}

extension SetOrganization {
    package static var plum: SetOrganization {
        var change = SetOrganization()
        change.colour = .plum
        change.removedPercent = 20
        change.locationTimeZone = "Asia/Tokyo"
        return change
    }
}

extension Scene {
    @discardableResult
    package func closeMaple(after days: Int = 30) async throws -> Done<OrganizationRecord> {
        let change = CloseOrganization(eraseAfterDays: days)
        let preview = try await self.operator.preview(change, in: maple)
        return try await self.operator.perform(change, in: maple, ifVersion: preview.version)
    }

    @discardableResult
    package func registerDevice(of person: Person, _ device: TestDevice = TestDevice()) async throws -> RegisteredDevice
    {
        let (database, fixed) = (school.database, school.fixed)
        return try await DeviceRegistrar(database: database, surroundings: fixed.surroundings).register(
            try device.key(), name: "Laptop", facts: .none,
            code: try await DeviceRegistrar.issueCode(for: person, in: database, fixed), origin: .commandLine)
    }

    /// The settings and domains of an organization, and all devices.
    package static func organizations(
        _ organization: OrganizationID, in transaction: some Transaction
    ) throws -> [String] {
        try transaction.all(
            """
            SELECT name, colour, user_name_format, asks_every_time, location_time_zone, erases_on FROM organization
            WHERE id = $1
            """, [organization]
        ) { row in
            "organization \(try row["name"] as String) \(try row["colour"] as String?) "
                + "\(try row["user_name_format"] as String) \(try row["asks_every_time"] as Bool) "
                + "\(try row["location_time_zone"] as String?) \(try row["erases_on"] as String?)"
        }
            + transaction.all(
                "SELECT removed_percent FROM import_threshold WHERE organization_id = $1", [organization]
            ) {
                "thresholds \(try $0["removed_percent"] as Int)"
            }
            + transaction.all(
                "SELECT name, verified_at FROM domain WHERE organization_id = $1 ORDER BY name", [organization]
            ) {
                "domain \(try $0["name"] as String) \(try $0["verified_at"] as Int?)"
            }
            + transaction.all("SELECT person_id FROM registered_device ORDER BY id") {
                "device of \(try $0["person_id"] as Int)"
            }
            + transaction.all("SELECT person_id FROM device_registration_code ORDER BY person_id") {
                "code for \(try $0["person_id"] as Int)"
            }
    }
}
