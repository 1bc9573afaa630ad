import Foundation
import LanyardAPI
import Synchronization

/// The time for the header `Date`, which is written once a second. RFC 9110 §6.6.1.
final class DateField: Sendable {
    private let now: @Sendable () -> Date
    private let last = Mutex<(second: Int, text: String)?>(nil)

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    /// For example `Sun, 06 Nov 1994 08:49:37 GMT`.
    var text: String {
        let second = now().writableSeconds
        return last.withLock { last in
            if let last, last.second == second { return last.text }
            let text = Self.text(of: second)
            last = (second, text)
            return text
        }
    }

    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// - Parameter second: since 1970, which began on a Thursday.
    static func text(of second: Int) -> String {
        let (day, rest) = second.quotientAndRemainder(flooringBy: 86_400)
        let date = civilDate(ofDay: day)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return """
            \(weekdays[day.quotientAndRemainder(flooringBy: 7).remainder]), \(two(date.day)) \(months[date.month - 1]) \(date.year) \
            \(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT
            """
    }
}
