import Foundation
import KerberosProfile
import SingleSignOnWire
import Testing

@testable import KerberosExtension

/// docs/specifications/extensible-single-sign-on.md, 19.9, 22.19, 22.27, 22.28 and 22.36.
@Suite struct WakePlanTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let hour: TimeInterval = 3600
    private static let day: TimeInterval = 86_400

    private func settings(_ data: [String: PropertyListValue] = [:]) -> KerberosSettings {
        KerberosSettings(realm: "CORP.TEST", extensionData: data)
    }

    /// - Parameters: in seconds from now.
    private func ticket(from issued: TimeInterval, to expires: TimeInterval, renewable: TimeInterval? = nil) -> Ticket {
        Ticket(
            principal: "mika@CORP.TEST", cache: "FILE:/x", issued: Self.now + issued, expires: Self.now + expires,
            renewableUntil: renewable.map { Self.now + $0 })
    }

    private struct Woken: Equatable {
        /// From now; nil for no time.
        let seconds: TimeInterval?
        let isForNetwork: Bool

        init(_ seconds: TimeInterval?, _ isForNetwork: Bool) {
            (self.seconds, self.isForNetwork) = (seconds, isForNetwork)
        }
    }

    private func wake(
        _ ticket: Ticket?, isSilent: Bool = false, _ data: [String: PropertyListValue] = [:],
        saved: SavedSignIn? = nil, isRefused: Bool = false
    ) -> Woken {
        let plan = WakePlan(
            ticket: ticket, hasSilentProof: isSilent, settings: settings(data), saved: saved,
            isKeytabRefused: isRefused)
        let wake = plan.wake(at: Self.now)
        return Woken(wake.at?.timeIntervalSince(Self.now), wake.isForNetwork)
    }

    @Test func `a ticket is renewed when a third of its life is left, or two minutes`() {
        let hours = Self.hour
        #expect(wake(ticket(from: 0, to: 9 * hours, renewable: 90 * hours)) == Woken(6 * hours, true))
        #expect(wake(ticket(from: 0, to: 150, renewable: 900)) == Woken(30, true))
        // One that is overdue is tried again soon, the sooner the less is left.
        #expect(wake(ticket(from: -8 * hours, to: hours, renewable: 90 * hours)) == Woken(300, true))
        #expect(wake(ticket(from: -100, to: 60, renewable: 900)) == Woken(30, true))
    }

    @Test func `nothing is done for what nobody can renew without a person`() {
        #expect(wake(ticket(from: 0, to: 9 * Self.hour)) == Woken(nil, false))
        #expect(wake(ticket(from: -8 * Self.hour, to: Self.hour, renewable: Self.hour)) == Woken(nil, false))
        #expect(wake(nil) == Woken(nil, false))
        // With a saved password or a keytab it can be had anew.
        #expect(wake(ticket(from: 0, to: 9 * Self.hour), isSilent: true) == Woken(6 * Self.hour, true))
        #expect(wake(nil, isSilent: true) == Woken(300, true))
    }

    @Test func `with a keytab that is refused an hour passes, and a ticket that can be renewed is`() {
        #expect(wake(nil, isSilent: true, isRefused: true) == Woken(Self.hour, true))
        #expect(wake(ticket(from: -8 * Self.hour, to: 60), isSilent: true, isRefused: true) == Woken(Self.hour, true))
        let renewable = ticket(from: -100, to: 60, renewable: 900)
        #expect(wake(renewable, isSilent: true, isRefused: true) == Woken(30, true))
        // Something else has given a ticket.
        #expect(wake(ticket(from: 0, to: 9 * Self.hour), isSilent: true, isRefused: true) == Woken(6 * Self.hour, true))
    }

    @Test func `where the cache is not to be watched, only networks count`() {
        let data: [String: PropertyListValue] = ["monitorCredentialsCache": .boolean(false)]
        #expect(wake(ticket(from: 0, to: 9 * Self.hour, renewable: 90 * Self.hour), data) == Woken(nil, true))
    }

    private func saved(
        expires: TimeInterval? = nil, changed: TimeInterval? = nil, told: TimeInterval? = nil
    ) -> SavedSignIn {
        SavedSignIn(
            userName: "mika", passwordExpiresAt: expires.map { Self.now + $0 },
            passwordChangedAt: changed.map { Self.now + $0 }, expiryToldAt: told.map { Self.now + $0 })
    }

    private func notice(_ saved: SavedSignIn, _ data: [String: PropertyListValue] = [:]) -> String? {
        PasswordNotice(saved, settings(data), at: Self.now)?.title(Words(.en), realm: "CORP.TEST")
    }

    @Test func `people are told of a password that is about to expire, once in a day`() {
        #expect(notice(saved(expires: 16 * Self.day)) == nil)
        #expect(notice(saved(expires: 14.5 * Self.day)) == "Your password for CORP.TEST expires in 14 days.")
        #expect(notice(saved(expires: 1.5 * Self.day)) == "Your password for CORP.TEST expires tomorrow.")
        #expect(notice(saved(expires: Self.hour)) == "Your password for CORP.TEST expires today.")
        #expect(notice(saved(expires: -Self.hour)) == "Your password for CORP.TEST has expired.")
        #expect(notice(saved(expires: Self.day, told: -23 * Self.hour)) == nil)
        #expect(notice(saved(expires: Self.day, told: -25 * Self.hour)) != nil)
        #expect(notice(saved(expires: 3 * Self.day), ["pwNotificationDays": .integer(2)]) == nil)
        #expect(notice(saved(expires: Self.hour), ["pwNotificationDays": .integer(0)]) == nil)
        #expect(notice(saved(expires: Self.hour), ["performKerberosOnly": .boolean(true)]) == nil)
        #expect(notice(saved()) == nil)
    }

    @Test func `of another end of the password people and the session are told anew`() {
        var saved = saved(expires: 3 * Self.day, told: -Self.hour)
        saved.expirySignaledAt = Self.now - Self.hour
        // A server that reckons with fractions of a second says the same end.
        saved.learn(passwordExpires: Self.now + 3 * Self.day + 0.7, settings(), now: Self.now)
        #expect(notice(saved) == nil && !saved.isToBeSignaled(settings(), at: Self.now))
        saved.learn(passwordExpires: Self.now + 2 * Self.day, settings(), now: Self.now)
        #expect(notice(saved) == "Your password for CORP.TEST expires in 2 days.")
        #expect(saved.isToBeSignaled(settings(), at: Self.now))
    }

    @Test func `a password that expires no longer has no end, and nobody is told the same again`() {
        let before = saved(expires: 3 * Self.day, changed: -Self.day, told: -Self.hour)
        var next = SavedSignIn(userName: "mika")
        next.take(endOfPasswordFrom: before)
        next.learn(passwordExpires: Self.now + 3 * Self.day, settings(), now: Self.now)
        #expect(next.passwordExpiresAt == before.passwordExpiresAt && next.expiryToldAt == before.expiryToldAt)
        next.learn(passwordExpires: nil, settings(), now: Self.now)
        #expect(next.passwordExpiresAt == nil && notice(next) == nil && next.passwordChangedAt == Self.now - Self.day)
    }

    @Test func `the session is told once a day of a password that is about to expire`() {
        func isTold(
            _ expires: TimeInterval, signaled: TimeInterval? = nil, _ data: [String: PropertyListValue] = [:]
        ) -> Bool {
            var saved = saved(expires: expires)
            saved.expirySignaledAt = signaled.map { Self.now + $0 }
            return saved.isToBeSignaled(settings(data), at: Self.now)
        }
        #expect(isTold(14 * Self.day) && !isTold(16 * Self.day) && !isTold(-1))
        #expect(isTold(Self.day, signaled: -Self.day) && !isTold(Self.day, signaled: -Self.day + 1))
        // A clock that was set back silences nobody.
        #expect(isTold(Self.day, signaled: 1))
        #expect(!isTold(Self.day, ["performKerberosOnly": .boolean(true)]))
    }

    @Test func `a password that was changed takes the place of a saved one, and what was told is over`() {
        var saved = saved(expires: Self.day, told: 0)
        saved.expirySignaledAt = Self.now
        saved.learn(newPassword: "new", now: Self.now)
        #expect(saved == SavedSignIn(userName: "mika", passwordChangedAt: Self.now))
        saved.password = "old"
        saved.learn(newPassword: "new", now: Self.now)
        #expect(saved.password == "new")
    }

    @Test func `the payload says how long a password lives where no KDC does`() {
        let data: [String: PropertyListValue] = ["pwExpireOverride": .integer(90)]
        #expect(notice(saved(changed: -80 * Self.day), data) == "Your password for CORP.TEST expires in 10 days.")
        #expect(notice(saved(expires: 40 * Self.day, changed: -80 * Self.day), data) == nil)
        #expect(notice(saved(), data) == nil)
    }

    @Test func `the extension is woken for the next notice`() {
        #expect(wake(nil, saved: saved(expires: 20 * Self.day)).seconds == 5 * Self.day)
        #expect(wake(nil, saved: saved(expires: 5 * Self.day, told: 0)).seconds == Self.day)
        // What could not be shown is tried in an hour.
        #expect(wake(nil, saved: saved(expires: 5 * Self.day)).seconds == Self.hour)
        let long = ticket(from: 0, to: 9 * Self.hour, renewable: 90 * Self.hour)
        #expect(wake(long, saved: saved(expires: 5 * Self.day, told: 0)).seconds == 6 * Self.hour)
    }

    @Test func `a KDC that may not know of a change is not believed that the password is about to expire`() {
        func learned(
            _ expires: TimeInterval, changed: TimeInterval?, _ data: [String: PropertyListValue] = [:]
        ) -> TimeInterval? {
            var saved = saved(changed: changed)
            saved.learn(passwordExpires: Self.now + expires, settings(data), now: Self.now)
            return saved.passwordExpiresAt?.timeIntervalSince(Self.now)
        }
        #expect(learned(Self.day, changed: nil) == Self.day)
        #expect(learned(Self.day, changed: -899) == nil)
        #expect(learned(40 * Self.day, changed: -899) == 40 * Self.day)
        #expect(learned(Self.day, changed: -901) == Self.day)
        #expect(learned(Self.day, changed: -61, ["replicationTime": .integer(60)]) == Self.day)
    }
}
