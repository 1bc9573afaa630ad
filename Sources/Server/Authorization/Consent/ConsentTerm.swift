import Directory
import Foundation
import Storage

/// How long the consents of an organization last, from the day on which one is given or renewed.
package enum ConsentTerm: Equatable, Sendable {
    /// Until somebody revokes them.
    case unlimited
    case year
    /// Until the next such day of a year, written as `07-31`.
    case day(String)

    /// `unlimited`, `year`, or a day such as `07-31`.
    package var text: String {
        switch self {
        case .unlimited: "unlimited"
        case .year: "year"
        case .day(let text): text
        }
    }

    /// - Returns: nil unless it is one of the texts above. 29 February is none of the days, as most years lack it.
    package init?(_ text: String) {
        switch text {
        case "unlimited": self = .unlimited
        case "year": self = .year
        default:
            guard CalendarDay("2001-\(text)") != nil else { return nil }
            self = .day(text)
        }
    }

    /// The last day of a consent that is given or renewed today; nil for no end.
    ///
    /// A day of the year that is so near that renewal would be asked for at once is left out: whoever renews in July
    /// what ends at the end of July means the next year.
    package func lastDay(from today: CalendarDay) -> CalendarDay? {
        switch self {
        case .unlimited: return nil
        case .year: return today.nextYear
        case .day(let text):
            let soon = today.adding(days: Consent.noticeDays)
            let candidate = CalendarDay("\(soon.text.prefix(4))-\(text)")
            return candidate.map { $0 > soon ? $0 : $0.nextYear }
        }
    }
}

extension ConsentTerm {
    package static func find(of organization: OrganizationID, in transaction: some Transaction) throws -> ConsentTerm {
        try transaction.first("SELECT ends FROM consent_term WHERE organization_id = $1", [organization]) {
            ConsentTerm(try $0["ends"])
        }.flatMap(\.self) ?? .unlimited
    }

    /// Stores the term of an organization, for consents that are given or renewed from then on.
    package func put(for organization: OrganizationID, in transaction: WriteTransaction) throws {
        guard self != .unlimited else {
            try transaction.execute("DELETE FROM consent_term WHERE organization_id = $1", [organization])
            return
        }
        try transaction.execute(
            """
            INSERT INTO consent_term (organization_id, ends) VALUES ($1, $2)
            ON CONFLICT (organization_id) DO UPDATE SET ends = EXCLUDED.ends
            """, [organization, text])
    }
}

extension Consent {
    /// The last day that renewing it today gives it: as the organization's term says, or a year if it gives none.
    package func renewedLastDay(at now: Date, in transaction: some Transaction) throws -> CalendarDay {
        let today = CalendarDay(now)
        return try ConsentTerm.find(of: organizationID, in: transaction).lastDay(from: today) ?? today.nextYear
    }

    /// As ``renewedLastDay(at:in:)``, but nil if the consent lasts as long already, or has no end.
    func laterLastDay(at now: Date, in transaction: some Transaction) throws -> CalendarDay? {
        guard let lastDay else { return nil }
        let renewed = try renewedLastDay(at: now, in: transaction)
        return renewed > lastDay ? renewed : nil
    }
}
