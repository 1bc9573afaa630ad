import CSystemd

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What scripts and the desktop are told on the bus of the person's session. docs/specifications/extensible-single-sign-on.md, 27.
///
/// Every program of the session can send such a signal. It is a reason to look, and proves nothing.
enum SessionSignal: String, CaseIterable, Sendable {
    /// There is a new ticket, or one is renewed.
    case gotNewCredential = "GotNewCredential"
    /// The tickets of the realm are deleted.
    case credentialRemoved = "CredentialRemoved"
    case passwordChanged = "PasswordChanged"
    /// The account on this computer has the realm's password now, and had another one.
    case localPasswordSynced = "LocalPasswordSynced"
    /// The password was changed, and the account on this computer has the new one too.
    case passwordChangedWithSync = "PasswordChangedWithSync"
    /// With the time at which the password expires.
    case passwordExpires = "PasswordExpires"
    /// A sign-in or a renewal has ended well.
    case connectionCompleted = "ConnectionCompleted"
    /// A server of the realm answers, after none did.
    case networkAvailable = "NetworkAvailable"
    case networkNotAvailable = "NetworkNotAvailable"

    static let path = "/org/lanyard/Kerberos"
    static let interface = "org.lanyard.Kerberos1"

    /// Sends it. Where there is no bus, nobody is told. Blocks for a second at most.
    func tell(_ realm: String, _ time: Date? = nil) {
        _ = lanyard_sd_bus_tell(
            Self.path, Self.interface, rawValue, realm, time.map { Int64($0.timeIntervalSince1970) } ?? 0, 1_000_000)
    }
}
