import Foundation

// Texts for numbers, times and names on the pages.

/// `1 person`, `2,014 people`.
func counted(_ count: Int, _ one: String, _ many: String) -> String {
    count == 1 ? "1 \(one)" : "\(grouped(count)) \(many)"
}

private func grouped(_ number: Int) -> String {
    var digits = String(number)
    var position = digits.count - 3
    while position > 0 {
        digits.insert(",", at: digits.index(digits.startIndex, offsetBy: position))
        position -= 3
    }
    return digits
}

/// `just now`, `5 minutes ago`, `3 hours ago`, `on 21 November 2026`.
func said(_ time: Date, now: Date) -> String {
    let minutes = Int(now.timeIntervalSince(time) / 60)
    switch minutes {
    case ..<1: return "just now"
    case ..<60: return counted(minutes, "minute", "minutes") + " ago"
    case ..<(24 * 60): return counted(minutes / 60, "hour", "hours") + " ago"
    default:
        return "on "
            + time.formatted(
                .verbatim(
                    "\(day: .defaultDigits) \(month: .wide) \(year: .defaultDigits)",
                    locale: Locale(identifier: "en_GB"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian)))
    }
}

/// Sorts as people expect: `Algebra 2` before `Algebra 10`, `Élodie` among the E's.
/// - Parameter tie: The result if both texts are equal in this order.
func inReadingOrder(_ left: String, _ right: String, then tie: @autoclosure () -> Bool) -> Bool {
    switch left.compare(right, options: [.numeric, .caseInsensitive, .diacriticInsensitive]) {
    case .orderedAscending: true
    case .orderedDescending: false
    case .orderedSame: tie()
    }
}

extension String {
    /// For a name within a sentence, so that a right-to-left name does not change the direction of the sentence. FIRST
    /// STRONG ISOLATE … POP DIRECTIONAL ISOLATE, Unicode Standard Annex #9.
    var isolated: String {
        "\u{2068}\(self)\u{2069}"
    }
}

/// The number of the shape and colour for an id, from 0 to 3; always the same for one id.
func shape(for id: String) -> Int {
    Int(id.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 } % 4)  // FNV-1a
}
