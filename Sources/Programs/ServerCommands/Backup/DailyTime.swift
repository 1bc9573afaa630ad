import ArgumentParser
import Foundation

/// A time of the day at which something is done each day, such as `02:00`.
struct DailyTime: Equatable, ExpressibleByArgument {
    let hour: Int
    let minute: Int

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isASCIIDigit) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        (self.hour, self.minute) = (hour, minute)
    }

    /// When it is due next. On a day that has no such time, because clocks are put forward then, it is the next time that there is.
    /// - Parameters:
    ///   - now: when somebody asks.
    ///   - last: when it was done last; nil for never. What was missed, for instance while the machine was off, is made up for at once.
    func next(after now: Date, last: Date?, in calendar: Calendar) -> Date {
        guard let last, last <= now else { return now }
        let time = DateComponents(hour: hour, minute: minute, second: 0)
        let due = calendar.nextDate(after: last, matching: time, matchingPolicy: .nextTime) ?? now
        return max(due, now)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
