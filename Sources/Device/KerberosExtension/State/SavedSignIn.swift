import ExtensionVault
import Ground
import KerberosProfile

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is kept of a person's sign-in to one realm, encrypted.
struct SavedSignIn: Codable, Equatable, Sendable {
    /// As the person wrote it, without the realm.
    var userName: String
    /// Whose ticket they got, with the realm; nil in what older versions saved.
    var principal: String?
    /// Only where the payload lets it be saved and the person wants it.
    var password: String?
    /// When an attempt with the saved password began of which nobody knows how it ended. It is written down before each attempt
    /// and taken away after it, so that it is there at other times only if the extension was killed meanwhile.
    var triedAt: Date?
    var signedInAt: Date?
    var passwordExpiresAt: Date?
    var passwordChangedAt: Date?
    /// When the session was last told that the password expires soon.
    var expirySignaledAt: Date?
    /// When the person was last told that the password is about to expire.
    var expiryToldAt: Date?
    /// When the person last did not say what the password of this computer is.
    var localPasswordDeclinedAt: Date?
}

extension SavedSignIn {
    /// Takes over what a server says of the password's end. If the password was changed so recently that this server may not know of
    /// it (`replicationTime`), an end that is near is not believed. What people and the session were told before was another end.
    /// - Parameter passwordExpires: nil if the password does not expire.
    mutating func learn(passwordExpires: Date?, _ settings: KerberosSettings, now: Date) {
        guard let passwordExpires else { return passwordExpiresAt = nil }
        if let passwordChangedAt,
            (0..<TimeInterval(settings.replicationTime)).contains(
                now.timeIntervalSince(passwordChangedAt))
        {
            let days = TimeInterval(settings.pwNotificationDays)
            guard passwordExpires > now.addingTimeInterval(days * 86_400) else { return }
        }
        // Servers say the same end with other fractions of a second.
        if let before = passwordExpiresAt, abs(passwordExpires.timeIntervalSince(before)) > 60 {
            (expirySignaledAt, expiryToldAt) = (nil, nil)
        }
        passwordExpiresAt = passwordExpires
    }

    /// Takes over what is known of the password's end from an earlier sign-in of the same person.
    mutating func take(endOfPasswordFrom before: SavedSignIn) {
        passwordChangedAt = before.passwordChangedAt
        (passwordExpiresAt, expirySignaledAt) = (before.passwordExpiresAt, before.expirySignaledAt)
        expiryToldAt = before.expiryToldAt
    }

    /// Takes note of a password that the person has just changed.
    /// - Parameter new: saved in place of the old one, if that is saved: it would be refused, and counted.
    mutating func learn(newPassword new: String, now: Date) {
        if password != nil { (password, triedAt) = (new, nil) }
        passwordChangedAt = now
        (passwordExpiresAt, expirySignaledAt, expiryToldAt) = (nil, nil, nil)
    }

    /// Whether the session is to be told that the password expires soon. docs/specifications/extensible-single-sign-on.md, 27.5.
    func isToBeSignaled(_ settings: KerberosSettings, at now: Date) -> Bool {
        guard !settings.performKerberosOnly, let passwordExpiresAt, passwordExpiresAt > now,
            passwordExpiresAt.timeIntervalSince(now) < TimeInterval(settings.pwNotificationDays) * 86_400
        else { return false }
        return expirySignaledAt.map { !(0..<86_400).contains(now.timeIntervalSince($0)) } ?? true
    }

    /// When the password expires; nil if neither a KDC nor the payload says it.
    func passwordExpires(_ settings: KerberosSettings) -> Date? {
        passwordExpiresAt
            ?? settings.pwExpireOverride.flatMap { days in
                passwordChangedAt?.addingTimeInterval(TimeInterval(days) * 86_400)
            }
    }
}

extension KerberosSettings {
    /// Nothing here asks who is there before a saved password is used. So where the payload wants that, none is saved.
    var maySavePassword: Bool { allowAutomaticLogin && !requireUserPresence }
}

/// The saved sign-ins of all realms. A change is on the disk when its call returns.
struct SignInStore: Sendable {
    let vault: Vault

    private func name(_ realm: String) -> String { "realm-\(realm)" }

    /// - Returns: nil if nothing is saved, or what is saved cannot be read now.
    func read(_ realm: String) -> SavedSignIn? {
        do {
            return try load(realm)
        } catch {
            writeToLog("what was saved for \(realm) is not used: \(error)")
            return nil
        }
    }

    /// - Returns: nil if nothing is saved.
    /// - Throws: why it cannot be read now.
    private func load(_ realm: String) throws -> SavedSignIn? {
        try vault.read(name(realm)).flatMap { try? JSONDecoder().decode(SavedSignIn.self, from: $0) }
    }

    /// - Throws: why it is not on the disk.
    func save(_ saved: SavedSignIn, for realm: String) throws {
        try vault.write(JSONEncoder().encode(saved), to: name(realm))
    }

    func write(_ saved: SavedSignIn, for realm: String) {
        do {
            try save(saved, for: realm)
        } catch {
            writeToLog("the sign-in to \(realm) is not saved: \(error)")
        }
    }

    /// Removes the password before anybody can try it again. If it cannot be taken out, for example because the keyring is
    /// locked, the whole file goes.
    func forgetPassword(of realm: String) {
        do {
            guard var saved = try load(realm), saved.password != nil else { return }
            (saved.password, saved.triedAt) = (nil, nil)
            try save(saved, for: realm)
        } catch {
            vault.remove(name(realm))
            writeToLog("all that was saved for \(realm) is removed, because the password could not be: \(error)")
        }
    }

    /// Removes what cannot be read now, such as behind a locked keyring, because nobody can say whether it is still right.
    func removeIfUnreadable(_ realm: String) {
        do {
            _ = try load(realm)
        } catch {
            vault.remove(name(realm))
            writeToLog("what was saved for \(realm) is removed, because it could not be brought up to date: \(error)")
        }
    }

    func remove(_ realm: String) { vault.remove(name(realm)) }
}
