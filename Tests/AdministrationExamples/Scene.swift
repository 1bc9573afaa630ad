import Accounts
import Administration
import Authorization
import Directory
import DomainNames
import Fixtures
import Foundation
import Ground
import Mail
import Storage
import TestSupport

/// A school with two places, a pupil at the first, and another school.
package struct Scene: Sendable {
    package let school: School
    package let annex: Location
    package let pupil: Person
    package let services: AdministrationServices
    /// What name servers say.
    package let zone: Zone
    /// Under which the keys of teams are sealed.
    package let masterKey: MasterKey

    /// - Parameters:
    ///   - fixed: the clock and the randomness of the scene, which a server can have too.
    ///   - masterKey: that of such a server.
    @discardableResult
    package static func with<Value>(
        _ kind: TestDatabase, _ fixed: FixedSurroundings = FixedSurroundings(),
        under masterKey: MasterKey = Scene.masterKey(), _ body: (Scene) async throws -> Value
    ) async throws -> Value {
        try await kind.with { database in
            let school = try await School.insert(in: database, fixed)
            let annex = try await school.insertLocation("Annex")
            // Otherwise no Administrator could be deactivated.
            _ = try await school.insertPerson("head", .administrator)
            let pupil = try await school.insertPerson("pupil", .student)
            let zone = Zone()
            return try await body(
                Scene(
                    school: school, annex: annex, pupil: pupil,
                    services: services(of: school, under: masterKey, zone: zone), zone: zone, masterKey: masterKey))
        }
    }

    /// - Parameter byte: each byte of the key.
    package static func masterKey(of byte: UInt8 = 5) -> MasterKey {
        MasterKey(bytes: [UInt8](repeating: byte, count: 32))
    }

    /// A profile that names the organization, and is none for a device.
    package static let signOnProfile = SignOnProfile { organization, _ in
        .init(content: Data(organization.utf8), signature: nil)
    }

    package static func services(
        of school: School, under masterKey: MasterKey = Scene.masterKey(), administratorMail: AdministratorMail? = nil,
        mailSender: Mailbox? = nil,
        founding: DeveloperRules.Founding = .nobody, takesLoopback: Bool = false, haveSandboxes: Bool = true,
        relayDomain: String? = nil, pickUpFolder: String? = "/nowhere", zone: Zone = Zone(),
        passwordNotice: PasswordNotice? = nil
    ) -> AdministrationServices {
        AdministrationServices(
            surroundings: school.fixed.surroundings, hasher: school.passwordHasher,
            passwordNotice: passwordNotice,
            masterKey: masterKey, administratorMail: administratorMail,
            mailSender: mailSender, rosterViewing: CallEcho(),
            developers: DeveloperRules(
                founding: founding, takesLoopback: takesLoopback, haveSandboxes: haveSandboxes,
                relayDomain: relayDomain),
            pickUpFolder: pickUpFolder, signOnProfile: signOnProfile, textRecords: zone)
    }

    /// The same school with other services.
    package func with(_ services: AdministrationServices) -> Scene {
        Scene(school: school, annex: annex, pupil: pupil, services: services, zone: zone, masterKey: masterKey)
    }

    package var database: any Database { school.database }

    package func administrator(_ caller: Administrator.Caller) -> Administrator {
        Administrator(caller, from: .system, database: database, services: services)
    }

    package var `operator`: Administrator { administrator(.operator) }

    /// Somebody with the role, who teaches the pupil if it is an Instructor.
    package func holder(of role: Role, at place: LocationID?, teaches: Bool = true) async throws -> Person {
        try await database.write { try insertHolder(of: role, at: place, teaches: teaches, in: $0) }
    }

    func insertHolder(
        of role: Role, at place: LocationID?, teaches: Bool, in transaction: WriteTransaction
    ) throws -> Person {
        let (organization, now) = (school.organization.id, school.fixed.now)
        let name = "holder-\(role.rawValue)-\(place?.rawValue ?? 0)"
        let person = try Person.insert(
            in: organization, givenName: name, familyName: "Okoye", userName: "\(name)@maple.example", at: now,
            in: transaction)
        try RoleAssignment(role, at: place).insert(for: person.id, of: organization, at: now, in: transaction)
        if role == .instructor, teaches {
            _ = try RosterClass.insert(
                in: organization, name: "Art \(person.id.rawValue)", location: school.location.id,
                instructors: [person.id], students: [pupil.id], at: now, in: transaction)
        }
        return person
    }

    /// Everything that operations change, but for the audit trail.
    package func state() async throws -> [String] {
        let organization = school.organization.id
        return try await database.read { transaction in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return try Person.page(of: organization, limit: 1_000, in: transaction).map { person in
                let record = try PersonRecord(person, in: transaction)
                let hash = try Credential.find(for: person.id, in: transaction)?.passwordHash ?? "-"
                let changes: Int =
                    try transaction.first("SELECT COUNT(*) FROM administration_change") { try $0[0] } ?? 0
                return String(decoding: try encoder.encode(record), as: UTF8.self)
                    + " \(hash) \(person.signInVersion) \(changes)"
            }
                + transaction.all("SELECT client_id, revoked_at FROM api_client ORDER BY id") { row in
                    "\(try row["client_id"] as String) \(try row["revoked_at"] as Date?)"
                }
                + Self.classes(in: transaction)
                + Self.locations(of: organization, in: transaction)
                + Self.rules(in: transaction)
                + Self.sharing(in: transaction)
                + Self.endOfLife(in: transaction)
                + Self.consents(in: transaction)
                + Self.organizations(organization, in: transaction)
                + Self.teams(in: transaction)
                + transaction.all("SELECT sequence FROM audit_anchor ORDER BY sequence") {
                    "anchor \(try $0["sequence"] as Int)"
                }
                + transaction.all("SELECT key_id, signs_from, retired_at FROM server_key ORDER BY key_id") { row in
                    "key \(try row["key_id"] as String) \(try row["signs_from"] as Date?) \(try row["retired_at"] as Date?)"
                }
                + transaction.all(
                    """
                    SELECT organization.id, organization.closed_at, credential.password_hash FROM organization
                    LEFT JOIN person ON person.organization_id = organization.id
                    LEFT JOIN credential ON credential.person_id = person.id
                    WHERE organization.sandbox_team_id IS NOT NULL ORDER BY organization.id, person.id
                    """
                ) { row in
                    "sandbox \(try row["id"] as Int) \(try row["closed_at"] as Date?) \(try row["password_hash"] as String?)"
                }
                + transaction.all("SELECT role, given, taken FROM role_privileges ORDER BY role") { row in
                    "role \(try row["role"] as Role) \(try row["given"] as String) \(try row["taken"] as String)"
                }
                + transaction.all("SELECT id FROM import_files ORDER BY id") { "files \(try $0["id"] as Int)" }
                + transaction.all("SELECT hour, due_at FROM roster_pick_up ORDER BY id") { row in
                    "pick-up \(try row["hour"] as Int) \(try row["due_at"] as Date)"
                }
        }
    }

    /// What the audit trails of the school, of sandboxes and of the server have, as `actor action subject outcome detail`.
    /// - Parameter ofServer: only that of the server.
    package func trail(ofServer: Bool = false) async throws -> [String] {
        let organization = ofServer ? .none : school.organization.id
        return try await database.read { transaction in
            try transaction.all(
                """
                SELECT actor, action, subject, outcome, detail FROM audit_entry
                WHERE organization_id IN (0, $1)
                   OR $1 <> 0 AND organization_id IN (SELECT id FROM organization WHERE sandbox_team_id IS NOT NULL)
                ORDER BY organization_id, sequence
                """, [organization]
            ) { row in
                try ["actor", "action", "subject", "outcome", "detail"].map { try row[$0] as String }
                    .joined(separator: " ")
            }
        }
    }
}

extension Scene {
    package func append(_ entry: AuditEntry) async throws {
        let (organization, now) = (school.organization.id, school.fixed.now)
        try await database.write { try entry.append(to: organization, at: now, in: $0) }
    }

    /// Gives the person one-time codes, whose secret nobody knows.
    package func giveFactor(to person: Person) async throws {
        let now = school.fixed.now
        try await database.write {
            try $0.execute(
                """
                INSERT INTO one_time_code_key (person_id, sealed_secret, last_step, added_at) VALUES ($1, $2, 0, $3)
                """, [person.id, [1] as [UInt8], now])
        }
    }

    /// What the trails have got since; each trail by itself, that of the server first.
    package func news(since before: [String]) async throws -> [String] {
        var known = Dictionary(before.map { ($0, 1) }, uniquingKeysWith: +)
        return try await trail().filter { entry in
            guard let count = known[entry], count > 0 else { return true }
            known[entry] = count - 1
            return false
        }
    }
}

/// One operation as somebody would ask for it, about the pupil of a ``Scene`` or somebody else.
package struct Example: Sendable, CustomStringConvertible {
    /// Brings the school into a state in which the operation has something to do.
    package typealias Prepare = @Sendable (Scene, Person) async throws -> Void

    package let name: String
    package let prepare: Prepare
    /// Nil for inquiries.
    package let preview: (@Sendable (any Administrating, Person, Scene) async throws -> Preview)?
    private let carryOut: @Sendable (any Administrating, Person, Scene, _ version: String?) async throws -> [Effect]

    package var description: String { name }

    /// - Parameter version: what the caller has seen. Without one, what needs one is performed in the version of a preview.
    package func perform(
        _ administrator: any Administrating, _ person: Person, _ scene: Scene, ifVersion version: String? = nil
    ) async throws -> [Effect] {
        try await carryOut(administrator, person, scene, version)
    }

    package static func change<C: Change>(
        _ make: @escaping @Sendable (PersonReference) -> C, after prepare: @escaping Prepare = { _, _ in }
    ) -> Example {
        changeInScene({ person, _ in make(PersonReference(person.id)) }, after: prepare)
    }

    /// - Parameter make: names what only the scene knows, such as a number.
    package static func changeInScene<C: Change>(
        _ make: @escaping @Sendable (Person, Scene) async throws -> C, after prepare: @escaping Prepare = { _, _ in }
    ) -> Example {
        Example(
            name: C.name, prepare: prepare,
            preview: { administrator, person, scene in
                try await administrator.preview(try await make(person, scene))
            },
            carryOut: { administrator, person, scene, version in
                let change = try await make(person, scene)
                guard C.needsVersion, version == nil else {
                    return try await administrator.perform(change, in: .only, ifVersion: version).effects
                }
                let seen = try await administrator.preview(change).version
                return try await administrator.perform(change, in: .only, ifVersion: seen).effects
            })
    }

    package static func inquiry<I: Inquiry>(
        _ make: @escaping @Sendable (PersonReference) -> I, after prepare: @escaping Prepare = { _, _ in }
    ) -> Example {
        inquiryInScene({ person, _ in make(PersonReference(person.id)) }, after: prepare)
    }

    /// - Parameter make: as for ``changeInScene(_:after:)``.
    package static func inquiryInScene<I: Inquiry>(
        _ make: @escaping @Sendable (Person, Scene) async throws -> I, after prepare: @escaping Prepare = { _, _ in }
    ) -> Example {
        Example(
            name: I.name, prepare: prepare, preview: nil,
            carryOut: { administrator, person, scene, _ in
                _ = try await administrator.ask(try await make(person, scene))
                return []
            })
    }

    package static let changes = all.filter { $0.preview != nil }

    package static let all: [Example] =
        [
            .inquiry { ShowPerson(person: $0) },
            .inquiry { ShowSignIns(person: $0) },
            .inquiry { _ in ListPeople() },
            .change { _ in
                AddPerson(
                    firstName: "New", lastName: "Pupil", userName: "new.pupil@maple.example", role: .student, at: main)
            },
            .change { DeactivatePerson(person: $0) },
            .change({ ReactivatePerson(person: $0) }) { scene, person in
                _ = try await scene.operator.perform(DeactivatePerson(person: PersonReference(person.id)))
            },
            .change { IssuePassword(person: $0) },
            .change { SignOutPerson(person: $0) },
            .change({ UnlockPerson(person: $0) }) { scene, person in
                _ = try await scene.operator.perform(IssuePassword(person: PersonReference(person.id)))
                try await scene.database.write {
                    try $0.execute("UPDATE credential SET failures = 3 WHERE person_id = $1", [person.id])
                }
            },
            .change({ ResetFactors(person: $0) }) { scene, person in
                try await scene.giveFactor(to: person)
            },
            .change { AddRole(person: $0, role: .staff, at: main) },
            .change { RemoveRole(person: $0, role: .student, at: main) },
            .inquiry { _ in ListAPIClients() },
            .inquiry { _ in ListChanges() },
            .change { _ in AddAPIClient(name: "Timetable", privileges: [.readPeople]) },
            .changeInScene({ RevokeAPIClient(client: try await clientID(of: $1)) }) { scene, _ in
                _ = try await scene.operator.perform(
                    AddAPIClient(name: "Timetable", privileges: [.readPeople]), in: scene.maple)
            },
        ] + people + passwords + classes + terms + audit + access + locations + sharing + idMaps + imports + pickUps
        + consents + endOfLife + organizations + devices + teams + apps + notifications + keys

    private static let main = LocationReference("Maple District Main")

    /// The only API client there is.
    private static func clientID(of scene: Scene) async throws -> String {
        try await scene.database.read { try $0.first("SELECT client_id FROM api_client") { try $0[0] } } ?? ""
    }
}
