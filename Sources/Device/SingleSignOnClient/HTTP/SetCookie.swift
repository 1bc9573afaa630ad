import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a header `Set-Cookie` says. RFC 6265 section 5.2. The domain is not read: ``CookieJar`` sends a cookie only to
/// the origin that has set it.
struct SetCookie: Equatable {
    let name: String
    let value: String
    /// The path on which the cookie is sent; nil if the header names none, or one that does not begin with a slash.
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    /// The lifetime in seconds.
    private(set) var maxAge: Int?
    private(set) var expires: Date?

    /// - Returns: nil if the header sets no cookie, or holds control characters.
    init?(_ header: String) {
        guard !header.unicodeScalars.contains(where: \.isASCIIControl) else { return nil }
        let parts = header.split(separator: ";", omittingEmptySubsequences: false).map(Self.pair)
        guard let value = parts[0].value, !parts[0].name.isEmpty else { return nil }
        name = parts[0].name
        self.value =
            value.count >= 2 && value.first == "\"" && value.last == "\"" ? String(value.dropFirst().dropLast()) : value
        for (name, value) in parts.dropFirst() {
            // If an attribute is repeated, the last one counts.
            switch (name.lowercased(), value) {
            case ("path", let value): path = value?.first == "/" ? value : nil
            case ("secure", _): isSecure = true
            case ("httponly", _): isHTTPOnly = true
            case ("max-age", let value?): maxAge = Int(value) ?? maxAge
            case ("expires", let value?): expires = CookieDate.parse(value) ?? expires
            default: break
            }
        }
    }

    private static func pair(_ text: Substring) -> (name: String, value: String?) {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (halves[0].trimmingSpaces, halves.count > 1 ? halves[1].trimmingSpaces : nil)
    }
}

/// A date as servers write it in a cookie: time of day, day, month and year, in any order, in UTC. RFC 6265 section
/// 5.1.1.
private struct CookieDate {
    private var time: [Int]?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    /// - Returns: nil if a part is missing, or there is no such day or time.
    static func parse(_ text: String) -> Date? {
        var parts = CookieDate()
        for token in text.utf8.split(whereSeparator: Self.isDelimiter) { parts.take(String(Substring(token))) }
        return parts.date
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Gives the token to the first part of a date that it can be and that is still missing.
    private mutating func take(_ token: String) {
        let digits = token.prefix { ("0"..."9").contains($0) }
        if time == nil, let time = Self.time(token) {
            self.time = time
        } else if day == nil, (1...2).contains(digits.count) {
            day = Int(digits)
        } else if month == nil, let month = Self.months.firstIndex(of: token.prefix(3).lowercased()) {
            self.month = month + 1
        } else if year == nil, (2...4).contains(digits.count), let year = Int(digits) {
            self.year = year + (year < 70 ? 2_000 : year < 100 ? 1_900 : 0)
        }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func time(_ token: String) -> [Int]? {
        let numbers = token.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map { part in
            let digits = part.prefix { ("0"..."9").contains($0) }
            return (1...2).contains(digits.count) ? Int(digits) : nil
        }
        let known = numbers.compactMap(\.self)
        return numbers.count == 3 && known.count == 3 ? known : nil
    }

    private var date: Date? {
        guard let time, let day, let month, let year, year >= 1601, time[0] < 24, time[1] < 60, time[2] < 60 else {
            return nil
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = DateComponents(
            year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
        guard let date = calendar.date(from: parts), calendar.component(.day, from: date) == day else { return nil }
        return date
    }
}
