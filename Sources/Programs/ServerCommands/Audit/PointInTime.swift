import ArgumentParser
import Foundation

/// A time as it is typed: a day, which begins at midnight UTC, or a day and a time in ISO 8601.
struct PointInTime: ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
        let day = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
        guard
            let date = (try? day.parse(argument)).flatMap({ argument.contains("T") ? nil : $0 })
                ?? (try? Date.ISO8601FormatStyle().parse(argument))
        else { return nil }
        self.date = date
    }
}
