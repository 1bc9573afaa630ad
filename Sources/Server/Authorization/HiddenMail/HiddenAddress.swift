import Directory
import Foundation
import Ground
import Storage

/// The address that a person gives to the apps of one team instead of their own. Mail to it is forwarded while the
/// person wants that.
///
/// There is one for each account and team. It is never given to anybody else, even after the account is deleted.
/// Managed accounts have none, because their organization decides what they share.
package struct HiddenAddress: Equatable, Sendable {
    package let id: HiddenAddressID
    /// Lower case.
    package let address: String
    /// Nil if the team has been removed.
    package let teamID: TeamID?
    /// Nil if the account has been deleted.
    package let personID: PersonID?
    package let forwards: Bool
    package let createdAt: Date

    package static let columns = [
        "id", "address", "team_id", "person_id", "forwards", "created_at",
    ].map { "hidden_address.\($0)" }.joined(separator: ", ")

    package init(_ row: Row) throws {
        id = try row["id"]
        address = try row["address"]
        teamID = try row["team_id"]
        personID = try row["person_id"]
        forwards = try row["forwards"]
        createdAt = try row["created_at"]
    }

    package enum Problem: Error, Equatable, CustomStringConvertible {
        case managedAccount

        package var description: String {
            switch self {
            case .managedAccount: "An account that an organization manages has no hidden addresses."
            }
        }
    }
}

package struct HiddenAddressID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

extension HiddenAddress {
    /// Finds the person's address for the team, or makes it.
    /// - Parameter domain: the domain of the relay, in lower case. An existing address keeps the domain that it was
    ///   made with.
    /// - Throws: ``Problem``
    package static func findOrInsert(
        of person: Person, at team: TeamID, domain: String, now: Date, from surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> HiddenAddress {
        guard person.organizationID == nil else { throw Problem.managedAccount }
        if let found = try find(of: person.id, at: team, in: transaction) { return found }
        while true {
            // About 50 bits.
            let address = "\(RandomName.make(length: 10, from: surroundings))@\(domain)"
            // Another transaction may have made an address for the same account and team or, very rarely, the same
            // address for another person.
            let inserted = try transaction.first(
                """
                INSERT INTO hidden_address (address, team_id, person_id, created_at, changed_at)
                VALUES ($1, $2, $3, $4, $4)
                ON CONFLICT DO NOTHING
                RETURNING \(columns)
                """,
                [address, team, person.id, now], HiddenAddress.init)
            if let found = try inserted ?? find(of: person.id, at: team, in: transaction) { return found }
        }
    }

    package static func find(
        of person: PersonID, at team: TeamID, in transaction: some Transaction
    ) throws -> HiddenAddress? {
        try transaction.first(
            "SELECT \(columns) FROM hidden_address WHERE team_id = $1 AND person_id = $2", [team, person],
            HiddenAddress.init)
    }

    /// The address that an app has instead of the person's own: that of its team. If the app came from another team
    /// after the person had begun to use it, it keeps that team's address until its own team has one for the person.
    package static func find(
        of person: PersonID, for app: AppID, in transaction: some Transaction
    ) throws -> HiddenAddress? {
        try list(of: person, for: app, in: transaction).first
    }

    /// The address that an app has, followed by those of its former teams, the latest first.
    static func list(
        of person: PersonID, for app: AppID, in transaction: some Transaction
    ) throws -> [HiddenAddress] {
        try transaction.all(
            """
            SELECT \(columns) FROM hidden_address
            JOIN app ON app.id = $2
            LEFT JOIN app_transfer ON app_transfer.app_id = app.id
                AND app_transfer.from_team_id = hidden_address.team_id
                AND app_transfer.accepted_at >= (
                    SELECT MIN(granted_at) FROM sign_in_consent WHERE app_id = $2 AND person_id = $1)
            WHERE hidden_address.person_id = $1
                AND (hidden_address.team_id = app.team_id OR app_transfer.app_id IS NOT NULL)
            ORDER BY CASE WHEN hidden_address.team_id = app.team_id THEN 0 ELSE 1 END, app_transfer.accepted_at DESC
            """,
            [person, app], HiddenAddress.init)
    }

    /// Finds the person's address for the app's team, or makes it. An address that replaces a former team's forwards
    /// only if that one did.
    static func findOrInsert(
        of person: Person, for app: App, domain: String, now: Date, from surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> HiddenAddress {
        let former = try find(of: person.id, for: app.id, in: transaction)
        if let former, former.teamID == app.teamID { return former }
        let own = try findOrInsert(
            of: person, at: app.teamID, domain: domain, now: now, from: surroundings, in: transaction)
        if former?.forwards == false {
            try transaction.execute("UPDATE hidden_address SET forwards = 0 WHERE id = $1", [own.id])
        }
        return try find(own.id, in: transaction) ?? own
    }

    /// - Parameter address: in upper or lower case.
    package static func find(address: String, in transaction: some Transaction) throws -> HiddenAddress? {
        try transaction.first(
            "SELECT \(columns) FROM hidden_address WHERE address = $1", [address.lowercased()], HiddenAddress.init)
    }

    package static func find(_ id: HiddenAddressID, in transaction: some Transaction) throws -> HiddenAddress? {
        try transaction.first("SELECT \(columns) FROM hidden_address WHERE id = $1", [id], HiddenAddress.init)
    }

    /// The addresses of a person, the oldest first.
    package static func list(of person: PersonID, in transaction: some Transaction) throws -> [HiddenAddress] {
        try transaction.all(
            "SELECT \(columns) FROM hidden_address WHERE person_id = $1 ORDER BY id", [person], HiddenAddress.init)
    }

    /// The apps that have the address now.
    package func apps(in transaction: some Transaction) throws -> [AppID] {
        guard let personID else { return [] }
        return try SignInConsent.list(of: personID, in: transaction)
            .filter { try $0.hidesEmail && Self.find(of: personID, for: $0.appID, in: transaction)?.id == id }
            .map(\.appID)
    }

    /// Switches forwarding on or off, and tells the apps.
    /// - Parameter apps: those that have the address and are to be told.
    /// - Returns: false if nothing changed; then no app is told.
    @discardableResult
    package func setForwarding(
        _ forwards: Bool, apps: [AppID], by actor: Actor, from origin: Origin, at now: Date,
        surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Bool {
        let changed = try transaction.execute(
            "UPDATE hidden_address SET forwards = $2, changed_at = $3 WHERE id = $1 AND forwards <> $2",
            [id, forwards, now])
        guard changed > 0 else { return false }
        try enqueueEmailChange(to: apps, forwards: forwards, at: now, surroundings: surroundings, in: transaction)
        try AuditEntry(
            .emailForwardingChanged, by: actor, on: "hidden-address:\(id.rawValue)", outcome: .done,
            detail: forwards ? "on" : "off", from: origin
        ).append(to: nil, at: now, in: transaction)
        return true
    }

    /// Queues `email-enabled` or `email-disabled` for each of the apps that takes notifications.
    private func enqueueEmailChange(
        to apps: [AppID], forwards: Bool, at now: Date, surroundings: Surroundings, in transaction: WriteTransaction
    ) throws {
        guard let personID else { return }
        for app in apps {
            try OutgoingNotification.enqueue(
                forwards ? .emailEnabled(hiddenAddress: address) : .emailDisabled(hiddenAddress: address), of: personID,
                to: app, at: now, surroundings: surroundings, in: transaction)
        }
    }
}
