import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct ClosingTests {
    private static let day: TimeInterval = 86_400

    /// The events that wait for an app, by their types.
    private static func events(_ scene: Scene) async throws -> [String] {
        try await scene.database.read { transaction in
            try transaction.all("SELECT claims FROM notification ORDER BY id") { try $0[0] as String }
                .map { claims in claims.contains("consent-revoked") ? "consent-revoked" : "other" }
        }
    }

    @Test(
        "from then on nobody signs in, the app reads nothing and is told once, and nothing is changed",
        arguments: TestDatabase.available)
    func closes(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let school = scene.school
            let app = try await scene.giveConsent()
            try await school.setPassword(of: scene.pupil, to: "maple-leaf-2468")
            let session = try await school.signIn(scene.pupil)
            try await scene.signIn(scene.pupil, to: app)
            try await scene.registerDevice(of: scene.pupil)
            let head = try await scene.holder(of: .administrator, at: nil)
            _ = try await school.insertClass("Choir", students: [scene.pupil])

            let done = try await scene.closeMaple()
            #expect(done.effects.map(\.action) == ["organization.closed", "consent.revoked"])
            #expect(
                done.effects[0].detail == "people 3, classes 1, apps that read 1; erased from 2026-10-01 on")
            #expect(done.answer.closedAt == school.fixed.now && done.answer.erasesOn?.text == "2026-10-01")

            #expect(try await scene.trail().contains { $0.hasSuffix("app:1, organization closed") })
            // The roster's consent, and that of the pupil.
            #expect(try await Self.events(scene) == ["consent-revoked", "consent-revoked"])
            let now = school.fixed.now
            let (living, found, devices) = try await scene.database.read { transaction in
                (
                    try Consent.list(of: school.organization.id, in: transaction).filter { $0.revokedAt == nil }.count,
                    try BrowserSession.reload(session, at: now, in: transaction) != nil,
                    try RegisteredDevice.count(of: scene.pupil.id, in: transaction)
                )
            }
            #expect(living == 0 && !found && devices == 0)

            func signIn(_ password: String) async throws -> String {
                switch try await school.passwordSignIn.signIn(
                    userName: scene.pupil.userName, password: password, origin: .system)
                {
                case .organizationClosed(let name): "closed \(name)"
                case .refused: "refused"
                case .signedIn: "signed in"
                default: "other"
                }
            }
            // Only whoever knows the password learns that the organization is closed.
            #expect(try await signIn("wrong") == "refused")
            #expect(try await signIn("maple-leaf-2468") == "closed Maple District")

            await #expect(throws: OperationError.signedOut) {
                try await scene.administrator(.person(head.id)).ask(ListPeople())
            }
            await #expect(throws: DirectoryError.organizationClosed("Maple District", since: CalendarDay(now))) {
                try await scene.operator.perform(
                    DeactivatePerson(person: PersonReference(scene.pupil.id)), in: scene.maple)
            }
            await #expect(throws: DirectoryError.organizationClosed("Maple District", since: CalendarDay(now))) {
                try await scene.operator.preview(CloseOrganization(), in: scene.maple)
            }
            // The operator goes on reading.
            #expect(try await scene.operator.ask(ListPeople(), in: scene.maple).people.count == 3)
            #expect(
                try await scene.operator.ask(ListDueDates(), in: scene.maple).dates.map { "\($0.kind) \($0.on.text)" }
                    == ["organizationIsErased 2026-10-01"])
            let why = try await scene.operator.ask(
                ExplainAccess(person: PersonReference(scene.pupil.id), app: AppReference("Quizzler")), in: scene.maple)
            #expect(why.signIn.reason == .organizationClosed)
        }
    }

    @Test(
        "a request to close does not wait until all apps are told; the server tells them once",
        arguments: TestDatabase.available)
    func tellsLater(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let app = try await scene.giveConsent()
            try await scene.signIn(scene.pupil, to: app)
            try await scene.closeByRequest()
            #expect(try await Self.events(scene) == ["consent-revoked"], "the roster's alone")
            for _ in 0..<2 {
                try await EndedSignIns(database: scene.database, surroundings: scene.school.fixed.surroundings)
                    .tellOfDepartures(by: .system, from: .system)
                #expect(try await Self.events(scene) == ["consent-revoked", "consent-revoked"])
            }
        }
    }

    @Test("only an Administrator of the whole organization, who has seen how much it concerns, closes it")
    func whoCloses() async throws {
        try await Scene.with(.sqlite) { scene in
            for role in Role.allCases {
                for place in [nil, scene.school.location.id] {
                    let caller = scene.administrator(.person(try await scene.holder(of: role, at: place).id))
                    if role == .administrator, place == nil {
                        _ = try await caller.preview(CloseOrganization())
                    } else {
                        await #expect(throws: OperationError.forbidden(.manageOrganization)) {
                            try await caller.preview(CloseOrganization())
                        }
                    }
                }
            }
            await #expect(throws: OperationError.self) { try await scene.operator.perform(CloseOrganization()) }
            let seen = try await scene.operator.preview(CloseOrganization()).version
            _ = try await scene.school.insertPerson("late", .student)
            let error = await #expect(throws: OperationError.self) {
                try await scene.operator.perform(CloseOrganization(), in: scene.maple, ifVersion: seen)
            }
            guard case .stale = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            for days in [6, 366] {
                await #expect(
                    throws: OperationError.invalid(field: "eraseAfterDays", reason: "is not between 7 and 365")
                ) { try await scene.operator.preview(CloseOrganization(eraseAfterDays: days)) }
            }
        }
    }

    @Test(
        "it is opened again until the day before, and what has ended does not come back",
        arguments: TestDatabase.available)
    func reopens(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let school = scene.school
            _ = try await scene.giveConsent()
            try await school.setPassword(of: scene.pupil, to: "maple-leaf-2468")
            let session = try await school.signIn(scene.pupil)
            let done = try await scene.closeMaple()
            school.fixed.advance(by: 29 * Self.day)
            try await RetentionSweep(database: scene.database, services: scene.services).run()
            _ = try await scene.operator.undo(try #require(done.change))
            let record = try await scene.operator.ask(ShowOrganization(), in: scene.maple)
            #expect(record.closedAt == nil && record.erasesOn == nil && record.people == 2)
            #expect(record.connectedApps == 0)
            let now = school.fixed.now
            #expect(
                try await scene.database.read { try BrowserSession.reload(session, at: now, in: $0) } == nil)
            guard
                case .signedIn = try await school.passwordSignIn.signIn(
                    userName: scene.pupil.userName, password: "maple-leaf-2468", origin: .system)
            else {
                Issue.record("the pupil is not signed in")
                return
            }
            await #expect(throws: OperationError.refused("Maple District is not closed.")) {
                try await scene.operator.perform(ReopenOrganization(), in: scene.maple)
            }

            try await scene.closeMaple(after: 7)
            let (organization, pupil) = (school.organization.id, scene.pupil.id)
            try await scene.database.write { _ = try $0.execute("INSERT INTO departure VALUES ($1, 0)", [pupil]) }
            await #expect(
                throws: OperationError.refused(
                    "Apps are still being told that Maple District is closed. Try again in a minute.")
            ) { try await scene.operator.perform(ReopenOrganization(), in: scene.maple) }
            _ = try await scene.database.write { try Departure.take(pupil, in: $0) }
            #expect(try await !scene.database.read { try Departure.isWaiting(for: organization, in: $0) })
            school.fixed.advance(by: 7 * Self.day)
            await #expect(
                throws: OperationError.refused(
                    "Maple District is erased since 2026-10-07, and cannot be opened again.")
            ) { try await scene.operator.perform(ReopenOrganization(), in: scene.maple) }
        }
    }
}
