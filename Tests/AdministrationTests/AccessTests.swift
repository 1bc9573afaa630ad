import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Ground
import Storage
import TestSupport
import Testing

@Suite struct AccessTests {
    @Test("what a rule ends is told app by app, and people are signed out", arguments: TestDatabase.available)
    func signsOut(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await scene.register(listed: true)
            let (pupil, now) = (scene.pupil.id, scene.school.fixed.now)
            let app = try await scene.database.write { transaction in
                let app = try #require(try App.list(in: transaction).first)
                _ = try SignInConsent.put(
                    app: app.id, person: pupil, scopes: ScopeSet([.name]), givenName: nil, familyName: nil,
                    hidesEmail: false, request: SecretHash(of: "x"), at: now, in: transaction)
                return app
            }
            func isSignedIn() async throws -> Bool {
                try await scene.database.read {
                    try SignInConsent.living(app: app.id, person: pupil, in: $0) != nil
                }
            }
            let unharmed = try await scene.operator.perform(SetAccessMode<SigningIn>(mode: .allowOnlyListedApps))
            #expect(unharmed.effects.map(\.detail) == ["mode allow_only_listed_apps"])
            #expect(try await isSignedIn())
            let done = try await scene.operator.perform(DisallowApp<SigningIn>(app: AppReference("Quizzler")))
            #expect(
                done.effects.map { "\($0.name) \($0.detail)" } == [
                    "Quizzler removed app:\(app.id.rawValue)", "Quizzler 1 person is signed out of it",
                ])
            #expect(try await !isSignedIn())
            #expect(done.answer.changes == 3 && done.answer.apps.isEmpty)
            // The rule comes back, the sign-in does not.
            _ = try await scene.operator.undo(try #require(done.change))
            #expect(try await scene.operator.ask(ShowAccess<SigningIn>()).apps.map(\.name) == ["Quizzler"])
            #expect(try await !isSignedIn())
        }
    }

    @Test("a decision made twice is one, and a stale one is refused")
    func repeated() async throws {
        try await Scene.with(.sqlite) { scene in
            try await scene.register(listed: false)
            let allow = AllowApp<DataSharing>(app: AppReference("Quizzler"))
            let seen = try await scene.operator.ask(ShowAccess<DataSharing>())
            let first = try await scene.operator.perform(allow, ifVersion: seen.version)
            let again = try await scene.operator.perform(allow)
            #expect(first.answer == again.answer && again.effects.isEmpty && again.change == nil)
            await #expect(throws: OperationError.stale(version: "1")) {
                try await scene.operator.perform(
                    SetAccessMode<DataSharing>(mode: .allowAllApps), ifVersion: seen.version)
            }
            _ = try await scene.operator.perform(DisallowApp<DataSharing>(app: AppReference("Quizzler")))
            await #expect(
                throws: OperationError.refused("Quizzler is not on the list of Maple District.")
            ) {
                try await scene.operator.perform(DisallowApp<DataSharing>(app: AppReference("Quizzler")))
            }
        }
    }
}
