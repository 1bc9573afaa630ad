import Authorization
import Directory
import Foundation
import Storage

/// That an organization was closed, or opened again, as lists say it that are kept apart from the copies of the database: an
/// organization that was closed after a copy was made is open in it, and would let people in again.
package struct ClosingRecord: Codable, Equatable, Sendable {
    package enum Action: String, Codable, CaseIterable, Sendable {
        case closed = "organization.closed"
        case reopened = "organization.reopened"
    }

    /// The organization's id.
    package let organization: String
    /// The action of the audit trail.
    package let action: Action
    /// When that was done, in whole seconds, as the audit trail has it.
    package let at: Date
    /// The day from which on all of the organization is erased. Nil for a reopening, and for a closing that is over.
    package let erasesOn: CalendarDay?
    /// Whether all apps had been told of the closing that is in force when the list was written; nil for any other.
    package let appsAreTold: Bool?

    package init(
        organization: String, action: Action, at: Date, erasesOn: CalendarDay? = nil, appsAreTold: Bool? = nil
    ) {
        self.organization = organization
        self.action = action
        self.at = at
        self.erasesOn = erasesOn
        self.appsAreTold = appsAreTold
    }

    /// Whether it counts where the other one is known too. Of two of the same second the closing counts, so that nobody gets in
    /// who should not.
    func outranks(_ other: ClosingRecord) -> Bool {
        at > other.at || at == other.at && action == .closed && other.action == .reopened
    }

    fileprivate func isSame(as other: ClosingRecord) -> Bool { at == other.at && action == other.action }
}

extension [ClosingRecord] {
    /// The one that counts. Several lists can have it: the latest day of erasure of these counts, and one that says that the
    /// apps were told is enough.
    var newest: ClosingRecord? {
        guard let newest = self.max(by: { $1.outranks($0) }) else { return nil }
        let same = filter(newest.isSame)
        let told = same.compactMap(\.appsAreTold)
        return ClosingRecord(
            organization: newest.organization, action: newest.action, at: newest.at,
            erasesOn: same.compactMap(\.erasesOn).max(),
            appsAreTold: told.isEmpty ? nil : told.contains(true))
    }

    func has(_ record: ClosingRecord) -> Bool { contains(where: record.isSame) }
}

extension ClosingRecord {
    private static let beginning = "again, as of "

    /// What the detail of an entry begins with that repeats this after a copy of the database was put in place. The entry has
    /// the time of the repetition, and this has that of the act, which counts when lists are compared with the trail.
    var repetition: String { "\(Self.beginning)\(at.formatted(.iso8601)): " }

    /// The closings and reopenings of an organization by its audit trail, oldest first.
    package static func list(
        of organization: Organization, in transaction: some Transaction
    ) throws -> [ClosingRecord] {
        var filter = AuditFilter()
        filter.mentioning = [[.action(.organizationClosed), .action(.organizationReopened)]]
        filter.outcome = .done
        var (records, number): ([AuditRecord], Int?) = ([], nil)
        while let page = try AuditRecord.page(
            of: organization.id, matching: filter, before: number, limit: 1_000, in: transaction)
        {
            records += page.records
            number = page.next
            if number == nil { break }
        }
        let (closing, told) = (organization.closing, try appsAreTold(of: organization, in: transaction))
        return records.reversed().reduce(into: []) { found, record in
            guard let action = Action(rawValue: record.action) else { return }
            let at = time(of: record)
            let isInForce = action == .closed && at == closing?.closedAt
            let next = ClosingRecord(
                organization: organization.publicID, action: action, at: at,
                erasesOn: isInForce ? closing?.erasesOn : nil, appsAreTold: isInForce ? told : nil)
            // Repetitions are of the same act.
            if !found.has(next) { found.append(next) }
        }
    }

    private static func time(of record: AuditRecord) -> Date {
        guard record.detail.hasPrefix(beginning),
            let end = record.detail.dropFirst(beginning.count).firstRange(of: ": "),
            let time = try? Date(
                String(record.detail[..<end.lowerBound].dropFirst(beginning.count)), strategy: .iso8601)
        else { return record.at }
        return time
    }

    /// Whether nothing waits any more of what apps are told because the organization was closed. A notification about others
    /// that waits counts too: then the apps are told twice, which does no harm.
    private static func appsAreTold(of organization: Organization, in transaction: some Transaction) throws -> Bool {
        guard let closing = organization.closing else { return false }
        return try !Departure.isWaiting(for: organization.id, in: transaction)
            && !OutgoingNotification.isKept(since: closing.closedAt, in: transaction)
    }
}
