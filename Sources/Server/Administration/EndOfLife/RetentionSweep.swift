import Authorization
import Directory
import Foundation
import Ground
import Storage

/// Does once a day what the organizations' rules say, and erases organizations that were closed. Each person is a
/// transaction of their own, and rows go in parts: nobody waits long for any, and after a crash the rest is found
/// again.
package struct RetentionSweep: Sendable {
    private let database: any Database
    private let surroundings: Surroundings

    /// Rows that one transaction deletes.
    private static let rowsAtOnce = 1_000
    private static let peopleAtOnce = 200

    package init(database: any Database, services: AdministrationServices) {
        self.database = database
        surroundings = services.surroundings
    }

    package func run() async throws {
        let today = CalendarDay(surroundings.now())
        try await OrganizationErasure(database: database, surroundings: surroundings).run()
        for organization in try await database.read({ try RetentionRule.organizations(notAppliedOn: today, in: $0) }) {
            let (found, rules) = try await database.read {
                (try Organization.find(organization, in: $0), try RetentionRule.list(of: organization, in: $0))
            }
            guard let found else { continue }
            for rule in rules where rule.appliedOn != today {
                guard try await apply(rule, to: found) else { continue }
                try await database.write {
                    try RetentionRule.note(rule.kind, of: organization, appliedOn: today, in: $0)
                }
            }
        }
    }

    /// - Returns: false if the server stops meanwhile.
    private func apply(_ rule: RetentionRule, to organization: Organization) async throws -> Bool {
        switch rule.kind {
        case .leftPeople, .unusedAccounts:
            var last = PersonID.none
            while !Task.isCancelled {
                let (start, cutoff) = (last, RetentionRule.cutoff(rule.days, at: surroundings.now()))
                let due = try await database.read {
                    try RetentionRule.duePeople(
                        rule.kind, of: organization.id, before: cutoff, after: start, limit: Self.peopleAtOnce, in: $0)
                }
                for person in due { try await apply(rule.kind, before: cutoff, to: person, of: organization) }
                guard due.count == Self.peopleAtOnce, let end = due.last else { return true }
                last = end.id
            }
            return false
        case .sessions, .imports: return try await deleteRows(rule, of: organization)
        }
    }

    /// The person is looked at again in the transaction: meanwhile a hold may have begun, the rule may have been taken
    /// away, or the person may have come back.
    private func apply(
        _ kind: RetentionRule.Kind, before cutoff: Date, to person: Person, of organization: Organization
    ) async throws {
        let (now, surroundings) = (surroundings.now(), surroundings)
        try await database.write { transaction in
            try transaction.lockRoster()
            guard try RetentionRule.list(of: organization.id, in: transaction).contains(where: { $0.kind == kind }),
                try RetentionRule.isDue(person.id, kind, of: organization.id, before: cutoff, in: transaction),
                try LegalHold.covering(person.id, of: organization.id, at: now, in: transaction) == nil,
                let person = try Person.find(person.id, in: transaction)
            else { return }
            switch kind {
            case .leftPeople:
                let erasure = PersonErasure(
                    subject: try ErasableRecord(person, in: transaction), actor: .system, origin: .system, now: now,
                    surroundings: surroundings, transaction: transaction)
                guard try erasure.refusal() == nil else { return }
                try erasure.carryOutBySystem()
            case .unusedAccounts:
                let isLast =
                    try RoleAssignment.inForce(of: person.id, at: now, in: transaction).contains {
                        $0.role == .administrator
                    }
                    && !Organization.hasAdministrator(organization.id, besides: person.id, at: now, in: transaction)
                guard !isLast, try person.deactivate(at: now, in: transaction) else { return }
                try AuditEntry(
                    .personChanged, by: .system, on: person.auditName, outcome: .done,
                    detail: "deactivated, because nobody has used the account", from: .system
                ).append(to: organization.id, at: now, in: transaction)
                try EndedSignIns.tellOfDeparture(
                    of: person.id, by: .system, from: .system, at: now, surroundings: surroundings, in: transaction)
            case .sessions, .imports: return
            }
        }
    }

    private func deleteRows(_ rule: RetentionRule, of organization: Organization) async throws -> Bool {
        let now = surroundings.now()
        while !Task.isCancelled {
            let deleted = try await database.write { transaction -> Int in
                guard try LegalHold.coveringAll(of: organization.id, at: now, in: transaction) == nil,
                    let rule = try RetentionRule.list(of: organization.id, in: transaction)
                        .first(where: { $0.kind == rule.kind })
                else { return 0 }
                let deleted = try RetentionRule.deleteDueRows(
                    rule.kind, of: organization.id, before: RetentionRule.cutoff(rule.days, at: now), at: now,
                    limit: Self.rowsAtOnce, in: transaction)
                guard deleted > 0 else { return 0 }
                try AuditEntry(
                    .retentionApplied, by: .system, on: organization.auditName, outcome: .done,
                    detail: "\(deleted) of \(rule.kind.rawValue) older than \(rule.days) days", from: .system
                ).append(to: organization.id, at: now, in: transaction)
                return deleted
            }
            if deleted < Self.rowsAtOnce { return true }
        }
        return false
    }
}
