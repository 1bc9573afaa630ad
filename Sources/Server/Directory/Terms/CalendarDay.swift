import Foundation
import Ground
import Storage

/// A day of the calendar, such as `2026-08-17`, wherever it may be.
package struct CalendarDay: Hashable, Comparable, Sendable {
    /// `YYYY-MM-DD`, so that days are in the order of their texts.
    package let text: String

    /// - Returns: nil unless it is a day that there is, from 1900 to 2999.
    package init?(_ text: String) {
        // Byte by byte: pages read dozens of days, and a regular expression takes some hundred times as long.
        let bytes = Array(text.utf8)
        let dash = UInt8(ascii: "-")
        guard bytes.count == 10, bytes[4] == dash, bytes[7] == dash, let year = Self.number(bytes[..<4]),
            let month = Self.number(bytes[5..<7]), let day = Self.number(bytes[8...]), (1_900...2_999).contains(year),
            (1...12).contains(month), (1...Self.days(of: month, in: year)).contains(day)
        else { return nil }
        self.text = text
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(0) { number, byte in
            byte.isDigit ? number.map { $0 * 10 + Int(byte - UInt8(ascii: "0")) } : nil
        }
    }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    package static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.text < right.text }

    /// The day of a time, in UTC.
    package init(_ date: Date) {
        text = date.formatted(.iso8601.year().month().day())
    }

    /// The beginning of the day, in UTC.
    package var date: Date {
        // A text of this form, which is all that there is here, always is a day.
        (try? Date(text, strategy: .iso8601.year().month().day())) ?? .distantPast
    }

    package func adding(days: Int) -> CalendarDay { CalendarDay(date.addingTimeInterval(Double(days) * 86_400)) }

    /// The same day of the next year; 28 February for the 29th.
    package var nextYear: CalendarDay {
        let (year, rest) = (Int(text.prefix(4)) ?? 0, text.dropFirst(4))
        return CalendarDay("\(year + 1)\(rest)") ?? CalendarDay("\(year + 1)-02-28") ?? self
    }

    /// The day that it is where days end last, twelve hours after UTC. All days before it are over everywhere.
    package static func earliest(at now: Date) -> CalendarDay { CalendarDay(now.addingTimeInterval(-12 * 3_600)) }

    /// Whether the day is over in all time zones. Nobody loses the last hours of a day to a server elsewhere.
    package func isOver(at now: Date) -> Bool { self < .earliest(at: now) }
}

extension CalendarDay: SQLConvertible {
    package var sqlValue: SQLValue { text.sqlValue }

    package init(column: Column) throws { text = try String(column: column) }
}

extension CalendarDay: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let day = CalendarDay(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is no day from 1900 to 2999.")
        }
        self = day
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
