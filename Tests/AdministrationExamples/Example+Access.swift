import Administration
import Authorization
import Directory
import Fixtures
import Ground
import Storage

extension Example {
    package static let access: [Example] =
        [
            .inquiry({ ExplainAccess(person: $0, app: AppReference("Quizzler")) }) { scene, _ in
                try await scene.register(listed: false)
            }
        ] + of(DataSharing.self) + of(SigningIn.self)

    private static func of<Rule: AppRule>(_: Rule.Type) -> [Example] {
        let app = AppReference("Quizzler")
        return [
            .inquiry { _ in ShowAccess<Rule>() },
            .inquiry { _ in SearchApps<Rule>(text: "quiz") },
            .change({ _ in AllowApp<Rule>(app: app) }) { scene, _ in try await scene.register(listed: false) },
            .change({ _ in DisallowApp<Rule>(app: app) }) { scene, _ in try await scene.register(listed: true) },
            .change { _ in SetAccessMode<Rule>(mode: Rule.purpose == .signIn ? .allowOnlyListedApps : .allowAllApps) },
        ]
    }
}

extension Scene {
    /// Registers Quizzler with the server, and lists it for both purposes or for none.
    package func register(listed: Bool) async throws {
        let (fixed, organization) = (school.fixed, school.organization.id)
        let app = try await insertApp().app.id
        guard listed else { return }
        for purpose in AccessRule.Purpose.allCases {
            try await database.write {
                try AccessRule.apply(
                    .list(app), to: organization, purpose: purpose, by: .operator, from: .commandLine, at: fixed.now,
                    in: $0)
            }
        }
    }
}

extension Scene {
    /// The modes that were decided, and the apps on the lists.
    package static func rules(in transaction: some Transaction) throws -> [String] {
        try transaction.all("SELECT purpose, mode FROM access_rule ORDER BY organization_id, purpose") {
            "rule \(try $0["purpose"] as String) \(try $0["mode"] as String)"
        }
            + transaction.all("SELECT purpose, app_id FROM access_rule_app ORDER BY purpose, app_id") {
                "listed \(try $0["purpose"] as String) \(try $0["app_id"] as Int)"
            }
    }
}
