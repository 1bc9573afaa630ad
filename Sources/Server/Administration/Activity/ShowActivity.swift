import Authorization
import Directory
import Foundation
import Storage

/// Tells how often people have signed in and how many records apps have read, day by day: numbers, and no names.
package struct ShowActivity: Inquiry {
    package static let name = "activity.show"
    package static let summary =
        "Tells how often people have signed in, and how many records apps have read, on each of the last days."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.get, "activity")
    package static let explanations = ["days": "How many days back, today included: 1 to 366, or 30."]

    private static let daysAllowed = 1...366

    /// One day, in UTC.
    package struct Day: Codable, Equatable, Sendable {
        package let day: CalendarDay
        package let signIns: Int
        /// They are records of people and classes. One that was read twice counts twice.
        package let recordsRead: Int
    }

    /// What one app has read in these days.
    package struct OfApp: Codable, Equatable, Sendable {
        /// Its number, without `app:`.
        package let app: Int64
        /// Its name, also if it was removed.
        package let name: String?
        package let recordsRead: Int
    }

    package struct Answer: Codable, Sendable {
        /// Oldest first. What happened within the last minute can be missing.
        package let days: [Day]
        package let apps: [OfApp]
    }

    package let days: Int?

    package init(days: Int? = nil) { self.days = days }

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let days = days ?? 30
        guard Self.daysAllowed.contains(days) else {
            throw OperationError.invalid(field: "days", reason: "is not between 1 and 366")
        }
        let today = CalendarDay(context.now)
        let first = today.adding(days: 1 - days)
        let signIns = try ActivityDay.list(.signIns, of: organization.id, from: first, to: today, in: transaction)
        let read = try ActivityDay.list(.recordsRead, of: organization.id, from: first, to: today, in: transaction)
        return Answer(
            days: zip(signIns, read).map { Day(day: $0.day, signIns: $0.number, recordsRead: $1.number) },
            apps: try ActivityDay.recordsRead(of: organization.id, from: first, in: transaction)
                .filter { $0.key != 0 }.sorted { $0.key < $1.key }.map { app, recordsRead in
                    OfApp(
                        app: app, name: try App.find(AppID(rawValue: app), in: transaction)?.name,
                        recordsRead: recordsRead)
                })
    }
}
