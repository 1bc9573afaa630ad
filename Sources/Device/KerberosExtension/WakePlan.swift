import KerberosProfile
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// When the extension is to be woken without a caller: to renew a ticket before it ends, and to say that a password is about to
/// expire. docs/specifications/extensible-single-sign-on.md, 19.9, 22.19 and 22.27.
struct WakePlan: Sendable {
    /// nil if there is none that is good.
    let ticket: Ticket?
    /// Whether another ticket can be had without a person.
    let hasSilentProof: Bool
    let settings: KerberosSettings
    let saved: SavedSignIn?
    /// Whether the device's keytab is not tried now.
    var isKeytabRefused = false

    /// How long after an attempt in vain there is another one.
    static let pause: TimeInterval = 300
    /// The same, for a ticket that ends before that.
    static let shortPause: TimeInterval = 30
    /// The same, while the KDC refuses the keytab: until then nothing comes of it, unless somebody replaces the file.
    static let pauseAfterRefusal: TimeInterval = RefusedKeytab.pause

    func wake(at now: Date) -> ExtensionWake {
        let canRenew = hasSilentProof || ticket?.isRenewable(at: now) == true
        let times = [settings.monitorCredentialsCache && canRenew ? ticketTime(now) : nil, noticeTime(now)]
        return ExtensionWake(at: times.compactMap(\.self).min(), isForNetwork: canRenew)
    }

    private func ticketTime(_ now: Date) -> Date {
        if let ticket, !ticket.isDue(at: now) { return ticket.isDueAt }
        if isKeytabRefused, ticket?.isRenewable(at: now) != true {
            return now.addingTimeInterval(Self.pauseAfterRefusal)
        }
        guard let ticket else { return now.addingTimeInterval(Self.pause) }
        // It should have been renewed by now, and was not.
        let left = ticket.expires.timeIntervalSince(now)
        return now.addingTimeInterval(min(Self.pause, max(Self.shortPause, left / 3)))
    }

    private func noticeTime(_ now: Date) -> Date? {
        guard let saved, let first = PasswordNotice.begins(saved, settings) else { return nil }
        let next = saved.expiryToldAt.map { max(first, $0.addingTimeInterval(PasswordNotice.pause)) } ?? first
        // What could not be shown now may be in an hour, when somebody is there.
        return max(next, now.addingTimeInterval(3600))
    }
}

/// That a password is about to expire.
struct PasswordNotice: Equatable, Sendable {
    /// Whole days that are left; negative if it has expired.
    let days: Int

    /// How long after a notice there is another one.
    static let pause: TimeInterval = 86_400

    /// From when on people are told; nil if nobody knows when the password expires, or the payload wants no notices.
    static func begins(_ saved: SavedSignIn, _ settings: KerberosSettings) -> Date? {
        // 22.20: then nobody looks at the end of passwords.
        guard !settings.performKerberosOnly, settings.pwNotificationDays > 0 else { return nil }
        return saved.passwordExpires(settings)?.addingTimeInterval(-TimeInterval(settings.pwNotificationDays) * 86_400)
    }

    /// - Returns: nil if there is nothing to tell now.
    init?(_ saved: SavedSignIn, _ settings: KerberosSettings, at now: Date) {
        guard let begins = Self.begins(saved, settings), begins <= now,
            let expires = saved.passwordExpires(settings)
        else { return nil }
        if let told = saved.expiryToldAt, (0..<Self.pause).contains(now.timeIntervalSince(told)) { return nil }
        days = Int((expires.timeIntervalSince(now) / 86_400).rounded(.down))
    }

    func title(_ words: Words, realm: String) -> String {
        switch days {
        case ..<0: words("expired", ["realm": realm])
        case 0: words("expiresToday", ["realm": realm])
        case 1: words("expiresTomorrow", ["realm": realm])
        default: words("expiresSoon", ["realm": realm, "count": "\(days)"])
        }
    }
}
