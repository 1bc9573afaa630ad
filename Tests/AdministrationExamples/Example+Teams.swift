import Administration
import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport

extension Example {
    /// Whether it is about what belongs to a team, and to no organization.
    package var isOfTeams: Bool { OperationCatalog.all.first { $0.name == name }?.route.root == .server }

    package static let quizzlerInc = TeamReference("Quizzler Inc.")
    package static let invitation = "the-code-of-an-invitation"

    /// About Quizzler Inc., which has the app Quizzler, a key and no member.
    package static let teams: [Example] = [
        .inquiry({ _ in ListTeams() }, after: makeTeam),
        .inquiry({ _ in ShowTeam(team: quizzlerInc) }, after: makeTeam),
        .inquiry({ _ in ListTeamChanges(team: quizzlerInc) }, after: makeTeam),
        .change { _ in AddTeam(name: "Burgers & Tacos Ltd.") },
        .change({ _ in RenameTeam(team: quizzlerInc, name: "Quizzler Ltd.") }, after: makeTeam),
        .change({ _ in RemoveTeam(team: quizzlerInc) }) { scene, person in
            try await makeTeam(scene, person)
            let version = try await scene.operator.preview(RemoveApp(app: quizzler)).version
            _ = try await scene.operator.perform(RemoveApp(app: quizzler), ifVersion: version)
        },
        .change({ AddMember(team: quizzlerInc, person: $0) }, after: makeTeam),
        .change({ RemoveMember(team: quizzlerInc, person: $0) }) { scene, person in
            try await makeTeam(scene, person)
            _ = try await scene.operator.perform(AddMember(team: quizzlerInc, person: PersonReference(person.id)))
        },
        .change({ _ in InviteMember(team: quizzlerInc) }, after: makeTeam),
        .change({ _ in WithdrawInvitations(team: quizzlerInc) }, after: invite),
        .change({ _ in JoinTeam(code: invitation) }, after: invite),
        .inquiry({ _ in ShowSandbox(team: quizzlerInc) }, after: makeSandbox),
        .change({ _ in CreateSandbox(team: quizzlerInc) }, after: makeTeam),
        .change({ _ in IssueSandboxPassword(team: quizzlerInc) }, after: makeSandbox),
        .change({ _ in RemoveSandbox(team: quizzlerInc) }, after: makeSandbox),
        .inquiry({ _ in ListKeys() }, after: makeTeam),
        .change({ _ in RegisterKey(team: quizzlerInc, name: "Second", publicKey: publicKey) }, after: makeTeam),
        .changeInScene({ RevokeKey(key: try await $1.onlyKey()) }, after: makeTeam),
        .inquiry({ _ in ListSenders(team: quizzlerInc) }, after: makeTeam),
        .change({ _ in AddSender(team: quizzlerInc, sender: "mail.quizzler.example") }, after: makeTeam),
        .change({ _ in RemoveSender(team: quizzlerInc, sender: "mail.quizzler.example") }) { scene, person in
            try await makeTeam(scene, person)
            _ = try await scene.operator.perform(AddSender(team: quizzlerInc, sender: "mail.quizzler.example"))
        },
    ]

    /// About Quizzler, which the school lets read its people and classes.
    package static let apps: [Example] = [
        .inquiry({ _ in ListApps() }, after: connect),
        .inquiry({ _ in ShowApp(app: quizzler) }, after: connect),
        .change(
            { _ in
                CreateApp(
                    team: quizzlerInc, name: "Ledger", clientIDs: ["com.example.ledger"], scopes: [.name],
                    domains: ["ledger.example"], returnURLs: ["https://ledger.example/callback"])
            }, after: makeTeam),
        .change(
            { _ in
                var change = SetApp(app: quizzler)
                change.scopes = [.classesRead]
                change.addReturnURLs = ["https://quizzler.example/two"]
                return change
            }, after: connect),
        .change({ _ in SetAppIcon(app: quizzler, icon: SamplePNG(64, 64).file) }, after: makeTeam),
        .change({ _ in RemoveApp(app: quizzler) }, after: connect),
        .change({ _ in SetClient(client: client, authentication: Client.Authentication.none) }, after: makeTeam),
        .change({ _ in MakeClientSecret(client: client) }, after: makeTeam),
        .change({ _ in RemoveClient(client: ClientReference("com.example.quizzler.web")) }) { scene, person in
            try await makeTeam(scene, person)
            var change = SetApp(app: quizzler)
            change.addClientIDs = ["com.example.quizzler.web"]
            _ = try await scene.operator.perform(change)
        },
        .change({ _ in TransferApp(app: quizzler, team: rivalInc) }) { scene, person in
            try await connect(scene, person)
            try await scene.makeRival()
        },
        .changeInScene({ OfferApp(app: quizzler, team: try await $1.rivalID()) }) { scene, person in
            try await makeTeam(scene, person)
            try await scene.makeRival()
        },
        .change({ _ in WithdrawOffer(app: quizzler) }, after: offer),
        .change({ _ in AcceptApp(app: quizzler) }, after: offer),
        .change({ _ in DeclineApp(app: quizzler) }, after: offer),
    ]

    /// About the only notification of Quizzler, which waits.
    package static let notifications: [Example] = [
        .inquiry({ _ in ListNotifications(app: quizzler) }, after: notify),
        .changeInScene({ try await resend(in: $1) }, after: notify),
    ]

    private static func resend(in scene: Scene) async throws -> ResendNotification {
        let jti = try await scene.database.read { try $0.first("SELECT jti FROM notification") { try $0[0] as String } }
        return ResendNotification(app: quizzler, notification: jti ?? "")
    }

    /// Quizzler is told that the school has revoked its consent, and does not answer.
    private static let notify: Prepare = { scene, person in
        try await connect(scene, person)
        _ = try await scene.operator.perform(RevokeConsent(app: quizzler), in: scene.maple)
        try await scene.database.write {
            _ = try $0.execute("UPDATE notification SET attempts = 3, next_attempt_at = next_attempt_at + 300")
        }
    }

    package static let rivalInc = TeamReference("Rival Inc.")
    private static let client = ClientReference("com.example.quizzler")

    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYSt8T7mYAbt8Xr7Gt5CF2dMKGDl6
        yHYEWoIqzuFz1oVngtlgXqTlrk+jqNOov5VQfE75vRsw3ePIkTJWfp41qg==
        -----END PUBLIC KEY-----
        """

    private static let makeTeam: Prepare = { scene, _ in
        _ = try await scene.insertApp()
    }

    private static let makeSandbox: Prepare = { scene, person in
        try await makeTeam(scene, person)
        _ = try await scene.operator.perform(CreateSandbox(team: quizzlerInc))
    }

    private static let connect: Prepare = { scene, _ in
        _ = try await scene.giveConsent()
    }

    private static let offer: Prepare = { scene, person in
        try await connect(scene, person)
        try await scene.makeRival()
        _ = try await scene.operator.perform(OfferApp(app: quizzler, team: try await scene.rivalID()))
    }

    /// An invitation whose code is known.
    private static let invite: Prepare = { scene, person in
        try await makeTeam(scene, person)
        let until = scene.school.fixed.now.addingTimeInterval(TeamInvitation.lifetime)
        try await scene.database.write {
            _ = try $0.execute(
                "INSERT INTO team_invitation (code_hash, team_id, expires_at) SELECT $1, id, $2 FROM team",
                [SecretHash(of: invitation), until])
        }
    }
}

extension Scene {
    package func makeRival() async throws { _ = try await self.operator.perform(AddTeam(name: "Rival Inc.")) }

    /// The id of 10 characters.
    package func rivalID() async throws -> String {
        try await database.read { try $0.first("SELECT public_id FROM team WHERE name = 'Rival Inc.'") { try $0[0] } }
            ?? ""
    }

    fileprivate func onlyKey() async throws -> String {
        try await database.read { try $0.first("SELECT key_id FROM team_key") { try $0[0] } } ?? ""
    }

    /// All teams and apps, with what is registered for them.
    package static func teams(in transaction: some Transaction) throws -> [String] {
        let tables = [
            ("team", "name, CASE WHEN removed_at IS NULL THEN 0 ELSE 1 END"), ("team_member", "team_id, person_id"),
            ("team_invitation", "team_id, expires_at"),
            ("team_key", "name, CASE WHEN revoked_at IS NULL THEN 0 ELSE 1 END"), ("relay_sender", "team_id, name"),
            ("app", "team_id, scopes"), ("app", "name, CASE WHEN removed_at IS NULL THEN 0 ELSE 1 END"),
            ("client", "client_id, is_public"),
            ("client", "client_id, CASE WHEN removed_at IS NULL THEN 0 ELSE 1 END"),
            ("client", "client_id, CASE WHEN secret_hash IS NULL THEN 0 ELSE 1 END"), ("return_url", "app_id, url"),
            ("app_offer", "app_id, to_team_id"), ("notification", "app_id, next_attempt_at"),
        ]
        return try tables.flatMap { table, columns in
            let names = columns.split(separator: ",", maxSplits: 1)
            return try transaction.all(
                """
                SELECT CAST(\(names[0]) AS TEXT) AS one, CAST(\(names[1]) AS TEXT) AS other FROM \(table)
                ORDER BY one, other
                """
            ) { "\(table) \(try $0["one"] as String) \(try $0["other"] as String)" }
        }
    }
}
