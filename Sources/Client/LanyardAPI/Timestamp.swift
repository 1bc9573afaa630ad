import Foundation

/// A point in time as the roster writes it: ISO 8601, UTC, ending in `Z`.
///
/// Both `2022-12-13T19:46:46Z` and `2022-12-13T19:46:46.404451216Z` are read, because services of this family send
/// whole seconds and nine fractional digits side by side. Whole seconds are written.
public struct Timestamp: Hashable, Sendable {
    public let date: Date

    public init(_ date: Date) {
        self.date = date
    }
}

extension Timestamp: LosslessStringConvertible {
    /// `2025-02-03T15:44:09Z`. Fractions are cut off and not rounded, so that a time is never later than its source.
    /// A year that needs more than four digits, or is before 0, becomes the nearest that does not.
    public var description: String {
        let seconds = date.writableSeconds
        let (day, secondOfDay) = seconds.quotientAndRemainder(flooringBy: 86_400)
        let (year, month, dayOfMonth) = civilDate(ofDay: day)
        let time = [secondOfDay / 3_600, secondOfDay / 60 % 60, secondOfDay % 60]
        let calendar = [padded(year, to: 4), padded(month, to: 2), padded(dayOfMonth, to: 2)].joined(separator: "-")
        return calendar + "T" + time.map { padded($0, to: 2) }.joined(separator: ":") + "Z"
    }

    /// Nil unless the text is a date and a time of day in UTC, with at most nine fractional digits.
    public init?(_ description: String) {
        let text = Array(description.utf8)
        guard text.count >= 20, text.last == UInt8(ascii: "Z"),
            text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let year = number(text[0..<4]), let month = number(text[5..<7]), let day = number(text[8..<10]),
            let hour = number(text[11..<13]), let minute = number(text[14..<16]), let second = number(text[17..<19]),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60,
            let fraction = fraction(text[19..<(text.count - 1)])
        else { return nil }
        let dayNumber = dayNumber(year: year, month: month, day: day)
        guard civilDate(ofDay: dayNumber) == (year, month, day) else { return nil }  // 30 February
        let seconds = dayNumber * 86_400 + hour * 3_600 + minute * 60 + second
        self.init(Date(timeIntervalSince1970: Double(seconds) + fraction))
    }
}

extension Timestamp: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let timestamp = Timestamp(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "Not an ISO 8601 time in UTC: \(text)")
        }
        self = timestamp
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

private func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
}

/// The seconds that `.404451216` stands for; 0 for no text at all.
private func fraction(_ text: ArraySlice<UInt8>) -> Double? {
    guard let point = text.first else { return 0 }
    let digits = text.dropFirst()
    guard point == UInt8(ascii: "."), (1...9).contains(digits.count), let value = number(digits) else { return nil }
    return Double(value) / digits.reduce(1.0) { scale, _ in scale * 10 }
}

private func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
