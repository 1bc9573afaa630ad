import Administration
import Authorization
import Directory
import Fixtures
import Foundation
import Storage

extension Example {
    package static let consents: [Example] = [
        .inquiry { _ in ListConsents() },
        .inquiry({ _ in ShowConsent(app: quizzler) }, after: give),
        .change({ _ in RevokeConsent(app: quizzler) }, after: give),
        .change({ _ in LimitConsent(app: quizzler, lastDay: "2027-07-31") }, after: give),
        .change({ _ in RenewConsent(app: quizzler) }) { scene, person in
            try await give(scene, person)
            _ = try await scene.operator.perform(
                LimitConsent(app: quizzler, lastDay: "2026-09-30"), in: scene.maple)
        },
        .change { _ in SetConsentTerm(ends: "07-31") },
    ]

    private static let give: Prepare = { scene, _ in
        _ = try await scene.giveConsent()
    }
}

extension Scene {
    /// Quizzler, which somebody has allowed to read people and classes.
    package func giveConsent(scopes: String = "edu.classes.read edu.users.read") async throws -> RegisteredApp {
        let registered = try await insertApp()
        let head = try await database.read { try Person.find(userName: "head@maple.example", in: $0) }
        try await database.write { transaction in
            for purpose in AccessRule.Purpose.allCases {
                try AccessRule.apply(
                    .list(registered.app.id), to: school.organization.id, purpose: purpose, by: .operator,
                    from: .commandLine, at: school.fixed.now, in: transaction)
            }
            try transaction.execute(
                """
                INSERT INTO consent (app_id, organization_id, scopes, granted_by, granted_at)
                VALUES ($1, $2, $3, $4, $5)
                """, [registered.app.id, school.organization.id, scopes, head?.id, school.fixed.now])
        }
        return registered
    }

    /// All consents, and how long they last.
    package static func consents(in transaction: some Transaction) throws -> [String] {
        try transaction.all("SELECT last_day, reminders, revoked_at FROM consent ORDER BY id") {
            "consent \(try $0["last_day"] as String?) \(try $0["reminders"] as Int) \(try $0["revoked_at"] as Date?)"
        } + transaction.all("SELECT ends FROM consent_term") { "term \(try $0["ends"] as String)" }
    }
}
