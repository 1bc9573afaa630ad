import Foundation

extension AccountPage {
    /// Where the person is signed in: one browser, or several whose user agents look the same.
    package struct Session: Sendable {
        package let device: Device
        /// The latest sign-in.
        package let signedInAt: Date
        /// The latest use, within a few minutes; nil if it is not known.
        package let usedAt: Date?
        /// The number of browsers, at least 1.
        package let count: Int
        /// Whether it is the browser that shows the page.
        package let isCurrent: Bool
        /// Ends these sessions.
        package let signOut: Form

        package init(
            device: Device, signedInAt: Date, usedAt: Date? = nil, count: Int = 1, isCurrent: Bool, signOut: Form
        ) {
            self.device = device
            self.signedInAt = signedInAt
            self.usedAt = usedAt
            self.count = count
            self.isCurrent = isCurrent
            self.signOut = signOut
        }
    }

    /// Further rows are folded, so that a person who signs in in every classroom still finds the rest of the page.
    private static let otherRowsMax = 2

    var sessionContent: Content {
        let others = sessions.filter { !$0.isCurrent }
        let otherCount = others.map(\.count).reduce(0, +)
        let isFolded = others.count > Self.otherRowsMax
        let all = rows("session", (sessions.filter(\.isCurrent) + others).map(content(of:)))
        let elsewhere: Content = [
            "sessions": .list(Array(all.suffix(others.count))),
            // With one other session, its own button does the same.
            "signOutOthers": .group(ifAny: otherCount > 1 ? signOutOthers?.content : nil),
        ]
        return [
            "current": .group(["sessions": .list(Array(all.dropLast(others.count)))]),
            "elsewhere": .group(ifAny: others.isEmpty || isFolded ? nil : elsewhere),
            "foldedElsewhere": .group(ifAny: isFolded ? elsewhere : nil),
            "otherCount": .count(otherCount),
        ]
    }

    private func content(of session: Session) -> Content {
        [
            "device": .sentence(session.device.sentence),
            "sessionUse": .sentence(session.usedAt.map(used(at:)) ?? signedIn(at: session.signedInAt)),
            "times": session.count > 1 ? .count(session.count) : .absent,
            "isCurrent": .flag(session.isCurrent),
            "signOutSession": .group(session.signOut.content),
        ]
    }

    func signedIn(at date: Date) -> Sentence { .since(date, at: now, saying: "account.signedIn") }

    /// No finer than uses are recorded. A session ends before it is a day old, so hours are the largest unit.
    private func used(at date: Date) -> Sentence {
        let minutes = Int(now.timeIntervalSince(date) / 60)
        return switch minutes {
        case ..<10: Sentence("account.usedNow")
        case ..<60: Sentence("account.usedThisHour")
        default: Sentence("account.usedHoursAgo", ["hours": .count(minutes / 60)])
        }
    }

    static let sessionSentences =
        Sentence.agoSentences(saying: "account.signedIn")
        + ["usedNow", "usedThisHour", "usedHoursAgo"].map { Sentence("account.\($0)") }
}

extension Sentence {
    /// A relative time, because the server does not know the person's time zone: "2 hours ago" within a day, afterwards
    /// the date.
    /// - Parameter key: the common beginning of the keys of the four sentences.
    package static func since(_ date: Date, at now: Date, saying key: String) -> Sentence {
        let minutes = max(0, Int(now.timeIntervalSince(date) / 60))
        return switch minutes {
        case ..<2: Sentence("\(key)Now")
        case ..<60: Sentence("\(key)MinutesAgo", ["minutes": .count(minutes)])
        case ..<(24 * 60): Sentence("\(key)HoursAgo", ["hours": .count(minutes / 60)])
        default: Sentence("\(key)On", ["day": .day(date)])
        }
    }

    package static func agoSentences(saying key: String) -> [Sentence] {
        ["Now", "MinutesAgo", "HoursAgo", "On"].map { Sentence(key + $0) }
    }
}
