import Authorization
import Directory
import Foundation
import Ground
import Storage

/// Erases organizations that were closed, when their day has come: the people one by one, then classes, locations and
/// all else. People under a legal hold stay until it has ended, and so does all that is erased after the people.
///
/// Each person is a transaction of their own, and rows go in parts. What is left after a crash is found again at once,
/// and what is left for a hold on the next day.
struct OrganizationErasure: Sendable {
    let database: any Database
    let surroundings: Surroundings

    private static let peopleAtOnce = 200
    private static let rowsAtOnce = 1_000

    func run() async throws {
        let today = CalendarDay(surroundings.now())
        for organization in try await database.read({ try Organization.list(dueForErasureOn: today, in: $0) }) {
            guard try await erasePeople(of: organization.id, on: today), try await eraseRows(of: organization.id)
            else { continue }
            try await finish(organization.id, on: today)
        }
    }

    /// - Returns: false if the server stops meanwhile.
    private func erasePeople(of organization: OrganizationID, on today: CalendarDay) async throws -> Bool {
        var last = PersonID.none
        while !Task.isCancelled {
            let start = last
            let page = try await database.read {
                try Person.page(of: organization, after: start, limit: Self.peopleAtOnce, in: $0)
            }
            for person in page { try await erase(person.id, of: organization, on: today) }
            guard page.count == Self.peopleAtOnce, let end = page.last else { return true }
            last = end.id
        }
        return false
    }

    /// Looks again in the transaction: meanwhile somebody may have opened the organization, or begun a hold.
    private func erase(_ person: PersonID, of organization: OrganizationID, on today: CalendarDay) async throws {
        let (now, surroundings) = (surroundings.now(), surroundings)
        // People under a legal hold are passed over before the transaction below locks the roster: otherwise others
        // would wait for locks under which nothing is changed.
        let isHeld = try await database.read {
            try LegalHold.covering(person, of: organization, at: now, in: $0) != nil
        }
        guard !isHeld else { return }
        try await database.write { transaction in
            try transaction.lockRoster()
            guard try Organization.find(organization, in: transaction)?.closing?.isDue(on: today) == true,
                let person = try Person.find(person, in: transaction), !person.isErased,
                // A record that was merged into another one is erased together with that.
                try PersonMerge.destination(of: person.id, in: transaction) == nil
            else { return }
            let erasure = PersonErasure(
                subject: try ErasableRecord(person, in: transaction), actor: .system, origin: .system, now: now,
                surroundings: surroundings, transaction: transaction)
            guard try erasure.refusal() == nil else { return }
            try erasure.carryOutBySystem()
        }
    }

    /// What an organization has besides people, in an order in which nothing refers to what is gone. Ids are never
    /// given again. What is not in this list stays: the organization's own row with its name, which the audit trail and
    /// the list of erasures are about, and consents, which name people by number.
    static let rows: [(table: String, key: String, condition: String)] = [
        ("sharing_location", "rules_id, location_id", ofRules), ("sharing_grade", "rules_id, grade", ofRules),
        ("sharing_class", "rules_id, class_id", ofRules), ("sharing_left_out", "rules_id, person_id", ofRules),
        ("sharing_rules", "id", own), ("roster_pick_up", "id", own),
        ("class", "id", own), ("course", "id", own), ("term", "id", own),
        ("location", "id", own), ("id_map", "id", own), ("import_files", "id", own),
        ("roster_import", "id", own),
        ("administration_change", "id", own), ("administration_job", "id", own),
        ("api_token", "token_hash", "api_client_id IN (SELECT id FROM api_client WHERE organization_id = $1)"),
        ("api_client", "id", own), ("invitation", "token_hash", own), ("domain", "organization_id, name", own),
        ("kerberos_realm", "id", own),
        ("access_rule_app", "organization_id, purpose, app_id", own), ("access_rule", "organization_id, purpose", own),
        ("import_threshold", "organization_id", own), ("retention_rule", "organization_id, kind", own),
        ("consent_term", "organization_id", own), ("legal_hold", "id", own),
        ("role_privileges", "organization_id, role", own),
    ]
    private static let own = "organization_id = $1"
    private static let ofRules = "rules_id IN (SELECT id FROM sharing_rules WHERE organization_id = $1)"

    /// Erases the rows of all tables in ``rows``, or nothing more as soon as it finds that people are left or a hold
    /// has begun, which ``finish(_:on:)`` notes then.
    /// - Returns: false if the server stops meanwhile.
    private func eraseRows(of organization: OrganizationID) async throws -> Bool {
        for rows in Self.rows {
            while try await database.read({
                try $0.exists("SELECT 1 FROM \(rows.table) WHERE \(rows.condition)", [organization])
            }) {
                guard !Task.isCancelled else { return false }
                let now = surroundings.now()
                let isOver = try await database.write { transaction -> Bool in
                    guard try Self.mayGo(organization, at: now, in: transaction) else { return true }
                    try transaction.execute(
                        """
                        DELETE FROM \(rows.table) WHERE (\(rows.key)) IN (
                            SELECT \(rows.key) FROM \(rows.table) WHERE \(rows.condition) LIMIT \(Self.rowsAtOnce)
                        )
                        """, [organization])
                    return false
                }
                if isOver { return true }
            }
        }
        return true
    }

    /// Whether the organization is still to be erased, no people are left, and no legal hold covers all of it.
    private static func mayGo(
        _ organization: OrganizationID, at now: Date, in transaction: some Transaction
    ) throws -> Bool {
        try Organization.find(organization, in: transaction)?.closing?.isDue(on: CalendarDay(now)) == true
            && Person.countKept(of: organization, in: transaction) == 0
            && LegalHold.coveringAll(of: organization, at: now, in: transaction) == nil
    }

    private func finish(_ organization: OrganizationID, on today: CalendarDay) async throws {
        let now = surroundings.now()
        try await database.write { transaction in
            guard let found = try Organization.find(organization, in: transaction) else { return }
            guard try Self.mayGo(organization, at: now, in: transaction) else {
                return try found.noteSwept(on: today, in: transaction)
            }
            try found.noteErased(at: now, in: transaction)
            try AuditEntry(
                .organizationErased, by: .system, on: found.auditName, outcome: .done,
                detail: "all but the audit trail, the list of erasures, and consents", from: .system
            ).append(to: organization, at: now, in: transaction)
        }
    }
}
