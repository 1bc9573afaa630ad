import Foundation
import Storage

/// How long the next attempt has to wait after wrong passwords from browsers that the account does not know.
///
/// The pauses grow up to a limit, so a stranger's guesses lock nobody out for good, and a stranger has 48 guesses a
/// day. After ten wrong passwords the account is locked: the longest pause, with a state that administrators see.
package enum AttemptPause {
    /// Wrong passwords in a row that are allowed; the next one locks the account.
    package static let forgivenMax = 10
    /// Seconds: no pause is longer.
    static let longest: TimeInterval = 1_800
    /// Seconds without a wrong password after which the count starts again.
    static let memory: TimeInterval = 86_400

    /// - Parameter failures: wrong passwords in a row, the last one included.
    /// - Returns: seconds; nil if the next attempt need not wait.
    package static func length(after failures: Int) -> TimeInterval? {
        switch failures {
        case ..<5: nil
        case 5: 60
        case 6: 120
        case 7: 240
        case 8: 480
        case ...forgivenMax: 900
        default: longest
        }
    }

    /// The end of a pause, or nil if it is over. An end that is further away than the longest pause was set by a clock
    /// that was wrong: it counts as over. The failures stay, and the next one begins a pause by the present clock.
    /// - Parameter end: the end as stored.
    static func running(until end: Date?, at now: Date) -> Date? {
        guard let end, end > now, end <= now.addingTimeInterval(longest) else { return nil }
        return end
    }

    /// SQL: whether a pause is over, as ``running(until:at:)`` says, at `$1`; `$2` is ``longest`` after it.
    static let isOver = "(paused_until <= $1 OR paused_until > $2)"

    static func ends(at now: Date) -> [any SQLConvertible] { [now, now.addingTimeInterval(longest)] }

    /// Whether the audit trail records this failure. While an account stays locked only every fiftieth is recorded, so
    /// that a stranger who goes on for weeks does not fill the trail.
    static func isTold(_ failures: Int) -> Bool { failures <= forgivenMax + 1 || failures % 50 == 0 }
}

/// The count of wrong passwords after the latest one.
struct CountedFailure {
    let failures: Int
    let pausedUntil: Date?

    init(failures: Int, at now: Date) {
        self.failures = failures
        pausedUntil = AttemptPause.length(after: failures).map { now.addingTimeInterval($0) }
    }

    var isLock: Bool { failures > AttemptPause.forgivenMax }
}
