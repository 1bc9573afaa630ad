import Foundation
import Storage

/// How long wrong passwords make the next one wait, when they come from browsers that the account does not know.
///
/// The pauses grow and have an upper bound: nobody is locked out for good by a stranger's guesses, and a stranger has
/// 48 a day. Ten are forgiven before the account is locked; a lock is the longest pause, under a name that
/// administrators see.
package enum AttemptPause {
    /// So many wrong passwords in a row are forgiven; the next one locks the account.
    package static let forgivenMax = 10
    /// Seconds: no pause is longer.
    static let longest: TimeInterval = 1_800
    /// After so long without another one the count begins anew.
    static let memory: TimeInterval = 86_400

    /// - Parameter failures: wrong passwords in a row, the last one included.
    /// - Returns: seconds, nil if the next one may come at once.
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

    /// The end of a pause, while it lasts. One that had longer to go than any pause is was counted by a clock that has been
    /// put right since: it is over. The failures stay, and the next one begins a pause by the clock as it is now.
    /// - Parameter end: as it is stored.
    static func running(until end: Date?, at now: Date) -> Date? {
        guard let end, end > now, end <= now.addingTimeInterval(longest) else { return nil }
        return end
    }

    /// SQL: whether a pause is over, as ``running(until:at:)`` says, at `$1`; `$2` is ``longest`` after it.
    static let isOver = "(paused_until <= $1 OR paused_until > $2)"

    static func ends(at now: Date) -> [any SQLConvertible] { [now, now.addingTimeInterval(longest)] }

    /// Which failures the audit trail tells of. Of those that keep an account locked only some: a stranger who goes on
    /// for weeks must not fill it.
    static func isTold(_ failures: Int) -> Bool { failures <= forgivenMax + 1 || failures % 50 == 0 }
}

/// A count of wrong passwords, after one more.
struct CountedFailure {
    let failures: Int
    let pausedUntil: Date?

    init(failures: Int, at now: Date) {
        self.failures = failures
        pausedUntil = AttemptPause.length(after: failures).map { now.addingTimeInterval($0) }
    }

    var isLock: Bool { failures > AttemptPause.forgivenMax }
}
