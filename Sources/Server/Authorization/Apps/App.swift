import Directory
import Foundation
import Storage

/// A primary app with the client ids grouped under it. Consent is asked, and notifications are sent, per app.
package struct App: Sendable {
    package let id: AppID
    package let teamID: TeamID
    package let name: String
    /// The scopes that the app may ask for.
    package let scopes: ScopeSet
    package let notificationURL: String?
    /// The icon on its badge, see ``App/icon(_:in:)``; nil for initials.
    package let iconID: String?
    /// The names in other languages, as the JSON that is stored. An app is read for every token and these are rarely
    /// needed, so only ``localizedNames`` parses them.
    private let localizedNamesText: String?
    package let createdAt: Date
    package let removedAt: Date?
    /// Whether each authorization request of the app has to carry a `code_challenge`, even if its client has a secret.
    /// RFC 7636.
    package let requiresProofKey: Bool
    /// Whether people confirm each sign-in to the app, even if it knows them.
    package let asksEveryTime: Bool
    /// Where the app's server is told that a person has signed out (`backchannel_logout_uri`); nil if it is not told.
    package let backChannelLogoutURL: String?
    /// Whether logout tokens have to name a session (`backchannel_logout_session_required`), and not only a person.
    package let logoutNeedsSession: Bool

    static let columns = columnNames.map { "app.\($0)" }.joined(separator: ", ")

    private static let columnNames = [
        "id", "team_id", "name", "scopes", "notification_url", "created_at", "removed_at", "requires_proof_key",
        "asks_every_time", "back_channel_logout_url", "logout_needs_session", "icon_id", "localized_names",
    ]

    init(_ row: Row) throws {
        id = try row["id"]
        teamID = try row["team_id"]
        name = try row["name"]
        scopes = try row["scopes"]
        notificationURL = try row["notification_url"]
        createdAt = try row["created_at"]
        removedAt = try row["removed_at"]
        requiresProofKey = try row["requires_proof_key"]
        asksEveryTime = try row["asks_every_time"]
        backChannelLogoutURL = try row["back_channel_logout_url"]
        logoutNeedsSession = try row["logout_needs_session"]
        iconID = try row["icon_id"]
        localizedNamesText = try row["localized_names"]
    }

    /// What the app is called in other languages, by the tag of the language, such as `ja`.
    package var localizedNames: [String: String] {
        localizedNamesText.flatMap { try? JSONDecoder().decode([String: String].self, from: Data($0.utf8)) } ?? [:]
    }
}

package struct AppID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

extension App {
    /// - Parameters:
    ///   - clientIDs: the first is the primary one, to which notifications are addressed.
    ///   - returnURLs: as checked by ``ReturnURL``.
    /// - Throws: ``Problem``
    package static func insert(
        name: String, team: TeamID, clientIDs: [String], returnURLs: [ReturnURL], scopes: ScopeSet,
        notificationURL: String?, at now: Date, in transaction: WriteTransaction
    ) throws -> App {
        guard !clientIDs.isEmpty else { throw Problem.noClientID }
        guard !scopes.isEmpty else { throw Problem.noScope }
        let app = try transaction.first(
            """
            INSERT INTO app (team_id, name, scopes, notification_url, created_at) VALUES ($1, $2, $3, $4, $5)
            RETURNING \(columns)
            """,
            [team, try FieldRule.name.check(name, field: "app name"), scopes, notificationURL, now], App.init
        )!  // an insert without conflict clause returns its row
        for (index, clientID) in clientIDs.enumerated() {
            try app.add(clientID: clientID, isPrimary: index == 0, in: transaction)
        }
        try app.add(returnURLs: returnURLs, in: transaction)
        return app
    }

    package enum Problem: Error, Equatable, CustomStringConvertible {
        case noClientID
        case noScope
        case malformedClientID(String)
        case clientIDTaken(String)
        case alreadyOfTeam(String)

        package var description: String {
            switch self {
            case .noClientID: "An app needs at least one client id."
            case .noScope:
                "An app needs at least one scope: \(Scope.registrable.map(\.rawValue).joined(separator: ", "))."
            case .malformedClientID(let id):
                "“\(id)” is no client id: use up to 255 visible ASCII characters, such as com.example.quizzler."
            case .clientIDTaken(let id): "The client id \(id) belongs to another app, or did before that was removed."
            case .alreadyOfTeam(let name): "The app is an app of \(name) already."
            }
        }
    }

    /// Adds a client id to the app, also one that was taken from it before.
    /// - Throws: ``Problem``
    package func add(clientID: String, in transaction: WriteTransaction) throws {
        try add(clientID: clientID, isPrimary: false, in: transaction)
    }

    private func add(clientID: String, isPrimary: Bool, in transaction: WriteTransaction) throws {
        guard (1...255).contains(clientID.utf8.count), clientID.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Problem.malformedClientID(clientID)
        }
        let hasCome = try transaction.execute(
            "UPDATE client SET removed_at = NULL WHERE client_id = $1 AND app_id = $2 AND removed_at IS NOT NULL",
            [clientID, id])
        guard hasCome == 0 else { return }
        do {
            try transaction.execute(
                "INSERT INTO client (client_id, app_id, is_primary) VALUES ($1, $2, $3)", [clientID, id, isPrimary])
        } catch DatabaseError.uniqueViolation {
            throw Problem.clientIDTaken(clientID)
        }
    }

    /// Replaces the name and the scopes. What was taken from the app is taken from consents by
    /// ``Consent/narrow(livingOf:to:at:surroundings:in:)``.
    /// - Throws: ``Problem``
    package func put(name: String, scopes: ScopeSet, in transaction: WriteTransaction) throws {
        guard !scopes.isEmpty else { throw Problem.noScope }
        try transaction.execute(
            "UPDATE app SET name = $2, scopes = $3 WHERE id = $1",
            [id, try FieldRule.name.check(name, unlessStill: self.name, field: "app name"), scopes])
    }

    /// Says whether each authorization request has to carry a `code_challenge`.
    package func put(requiresProofKey: Bool, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE app SET requires_proof_key = $2 WHERE id = $1", [id, requiresProofKey])
    }

    /// Replaces the address of notifications; nil for none.
    package func put(notificationURL: String?, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE app SET notification_url = $2 WHERE id = $1", [id, notificationURL])
    }

    /// Replaces what the app is called in other languages.
    /// - Throws: ``DirectoryError`` for a name that is empty or too long
    package func put(localizedNames: [String: String], in transaction: WriteTransaction) throws {
        let names = try localizedNames.mapValues { try FieldRule.name.check($0, field: "app name") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try transaction.execute(
            "UPDATE app SET localized_names = $2 WHERE id = $1",
            [id, names.isEmpty ? nil : String(decoding: try encoder.encode(names), as: UTF8.self)])
    }

    /// Replaces the icon: a PNG file; nil for none.
    package func put(icon: Data?, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE app SET icon_id = $2, icon = $3 WHERE id = $1",
            [id, icon.map(PictureID.of), icon.map { [UInt8]($0) }])
    }

    /// The PNG file with this id, whichever app has it.
    package static func icon(_ id: String, in transaction: some Transaction) throws -> [UInt8]? {
        try transaction.first("SELECT icon FROM app WHERE icon_id = $1 LIMIT 1", [id]) { try $0[0] }
    }

    /// The PNG file of the app's icon; nil for initials.
    package func icon(in transaction: some Transaction) throws -> Data? {
        try iconID.flatMap { try Self.icon($0, in: transaction) }.map { Data($0) }
    }

    package func put(asksEveryTime: Bool, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE app SET asks_every_time = $2 WHERE id = $1", [id, asksEveryTime])
    }

    /// Replaces the address of logout tokens; nil for none.
    package func put(backChannelLogoutURL: String?, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE app SET back_channel_logout_url = $2 WHERE id = $1", [id, backChannelLogoutURL])
    }

    package func put(logoutNeedsSession: Bool, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE app SET logout_needs_session = $2 WHERE id = $1", [id, logoutNeedsSession])
    }

    package static func find(_ id: AppID, in transaction: some Transaction) throws -> App? {
        try transaction.first("SELECT \(columns) FROM app WHERE id = $1", [id], App.init)
    }

    /// The living app that a client id belongs to.
    package static func find(clientID: String, in transaction: some Transaction) throws -> App? {
        try transaction.first(
            """
            SELECT \(columns)
            FROM client
            JOIN app ON app.id = client.app_id
            WHERE client.client_id = $1 AND client.removed_at IS NULL AND app.removed_at IS NULL
            """,
            [clientID], App.init)
    }

    /// The apps that are not removed, sorted by name.
    package static func list(in transaction: some Transaction) throws -> [App] {
        try transaction.all("SELECT \(columns) FROM app WHERE removed_at IS NULL ORDER BY name, id", [], App.init)
    }

    package static func list(of team: TeamID, in transaction: some Transaction) throws -> [App] {
        try transaction.all(
            "SELECT \(columns) FROM app WHERE team_id = $1 AND removed_at IS NULL ORDER BY name, id", [team], App.init)
    }

    package static func listRemoved(in transaction: some Transaction) throws -> [App] {
        try transaction.all("SELECT \(columns) FROM app WHERE removed_at IS NOT NULL ORDER BY name, id", [], App.init)
    }

    /// The client ids of an app, the primary one first.
    package static func clientIDs(of app: AppID, in transaction: some Transaction) throws -> [String] {
        try transaction.all(
            """
            SELECT client_id FROM client WHERE app_id = $1 AND removed_at IS NULL
            ORDER BY is_primary DESC, client_id
            """, [app]
        ) { try $0[0] }
    }

    /// Where a person may be led after signing out. OpenID Connect RP-Initiated Logout §3.1.
    package static func signOutURLs(of app: AppID, in transaction: some Transaction) throws -> [String] {
        try transaction.all("SELECT url FROM sign_out_url WHERE app_id = $1 ORDER BY url", [app]) { try $0[0] }
    }

    /// Replaces the addresses to which a person may be led after signing out.
    package func put(signOutURLs: [ReturnURL], in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM sign_out_url WHERE app_id = $1", [id])
        for url in Set(signOutURLs.map(\.text)) {
            try transaction.execute("INSERT INTO sign_out_url (app_id, url) VALUES ($1, $2)", [id, url])
        }
    }
}
