import Administration
import Authorization
import Directory
import Fixtures
import Ground
import Storage

extension Example {
    /// What is known of people, and how records and traces go.
    package static let endOfLife: [Example] = [
        .inquiry { DescribePerson(person: $0) },
        .change { ErasePerson(person: $0) },
        .inquiry { _ in ListErasures() },
        .changeInScene({ try await acknowledgement(in: $1) }) { scene, _ in try await scene.eraseKnownPupil() },
        .changeInScene { person, scene in replay(of: person, in: scene) },
        .change { AddHold(person: $0, reason: "An insurance asks", until: "2027-07-31") },
        .change({ _ in EndHold(hold: "1") }) { scene, person in
            _ = try await scene.operator.perform(
                AddHold(person: PersonReference(person.id), reason: "An insurance asks", until: "2027-07-31"),
                in: .named(scene.school.organization.publicID))
        },
        .inquiry { _ in ListHolds() },
        .inquiry { _ in ListRetention() },
        .inquiry { _ in ShowDue(kind: .leftPeople, days: 365) },
        .change { _ in SetRetention(kind: .leftPeople, days: 365) },
    ]

    private static func replay(of person: Person, in scene: Scene) -> ReplayErasures {
        ReplayErasures(erasures: [
            .init(
                organization: scene.school.organization.publicID, number: person.id.rawValue,
                createdAt: person.createdAt, erasedAt: scene.school.fixed.now)
        ])
    }

    /// The acknowledgement of the only erasure there is.
    private static func acknowledgement(in scene: Scene) async throws -> AcknowledgeErasure {
        let number = try await scene.database.read {
            try $0.first("SELECT person_id FROM erasure") { try $0[0] as Int }
        }
        return AcknowledgeErasure(number: "\(number ?? 0)", app: AppReference("Quizzler"))
    }
}

extension Administrating {
    /// Looks at the preview, and erases what it shows.
    @discardableResult
    package func erase(
        _ person: PersonReference, in organization: OrganizationReference = .only
    ) async throws -> Done<ErasePerson.Answer> {
        let preview = try await preview(ErasePerson(person: person), in: organization)
        return try await perform(ErasePerson(person: person), in: organization, ifVersion: preview.version)
    }
}

extension Scene {
    /// Quizzler, to which a person has signed in.
    package func signIn(_ person: Person, to app: RegisteredApp) async throws {
        let now = school.fixed.now
        try await database.write { transaction in
            _ = try SignInConsent.put(
                app: app.app.id, person: person.id, scopes: ScopeSet([.name, .email]), givenName: person.givenName,
                familyName: person.familyName, hidesEmail: false, request: SecretHash(of: "\(person.id.rawValue)"),
                at: now, in: transaction)
        }
    }

    /// An app called “Quizzler”, which the school has not decided about yet.
    package func insertApp(
        notificationURL: String? = "https://quizzler.example/notifications"
    ) async throws -> RegisteredApp {
        try await RegisteredApp.insert(
            in: database, school.fixed, under: masterKey, notificationURL: notificationURL)
    }

    /// Erases a pupil who had signed in to Quizzler.
    package func eraseKnownPupil() async throws {
        let pupil = try await school.insertPerson("leaver", .student)
        try await signIn(pupil, to: try await insertApp())
        try await self.operator.erase(PersonReference(pupil.id))
    }

    /// Notes and rules about the end of records.
    package static func endOfLife(in transaction: some Transaction) throws -> [String] {
        try transaction.all("SELECT id, ended_at FROM legal_hold ORDER BY id") {
            "hold \(try $0["id"] as Int) \(try $0["ended_at"] as Int?)"
        }
            + transaction.all("SELECT kind, days FROM retention_rule ORDER BY organization_id, kind") {
                "retention \(try $0["kind"] as String) \(try $0["days"] as Int)"
            }
            + transaction.all(
                "SELECT person_id, app_id, acknowledged_at FROM erasure_notice ORDER BY person_id, app_id"
            ) {
                "told \(try $0["person_id"] as Int) \(try $0["app_id"] as Int) \(try $0["acknowledged_at"] as Int?)"
            }
    }
}
