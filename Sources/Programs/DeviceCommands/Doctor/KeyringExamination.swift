import CommandOutput
import ExtensionVault
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the keys are with which Lanyard's extensions encrypt what they save, and whether they can be read now.
struct KeyringExamination {
    let payloads: [SingleSignOnPayload]
    /// The broker's folder for state; nil if no broker answers.
    let stateFolder: String?

    /// Under which name the desktop's keyring has the key of an extension.
    private static let applications = [
        "org.lanyard.openid.extension": "org.lanyard.openid", KerberosKeys.extensionIdentifier: "org.lanyard.kerberos",
    ]

    func findings() -> [DoctorFinding] {
        guard let stateFolder else { return [] }
        return Set(payloads.map(\.extensionIdentifier)).sorted().compactMap { identifier in
            Self.applications[identifier].map { application in
                let folder = ExtensionProtocol.dataFolder(of: identifier, in: stateFolder)
                return Self.finding(VaultKey.look(into: folder, application: application), identifier)
            }
        }
    }

    static func finding(_ found: VaultKey.Found, _ identifier: String) -> DoctorFinding {
        let check = "keyring"
        return switch found {
        case .file(let path, isOpenToOthers: true):
            .problem(
                check, "Others can read the key of what \(identifier) saves: \(path).",
                remedy: "Run `chmod 600 \(path)`; then sign out everywhere, for somebody may have the key.")
        case .file(let path, isOpenToOthers: false):
            .ok(check, "The key of what \(identifier) saves is in \(path), which you alone can read.")
        case .keyring(.open):
            .ok(check, "The key of what \(identifier) saves is in the desktop's keyring, which is open.")
        case .keyring(.locked):
            .problem(
                check, "The key of what \(identifier) saves is in the desktop's keyring, which is locked.",
                remedy:
                    "Unlock it, for instance in the program Passwords and Keys. It unlocks by itself where its password is that of the account."
            )
        case .keyring(.absent):
            .problem(
                check,
                "The key of what \(identifier) saves is in the desktop's keyring, and no keyring answers (Secret Service).",
                remedy: "Start the keyring with the desktop (gnome-keyring, KWallet), and sign in to the desktop anew.")
        case .nothing(.open):
            .ok(check, "The desktop's keyring is open, and will get the key of what \(identifier) saves.")
        case .nothing(.locked):
            .warning(
                check,
                "The desktop's keyring is locked: the key of what \(identifier) saves would be in a file instead.",
                remedy: "Unlock it before you sign in the first time.")
        case .nothing(.absent):
            .ok(
                check,
                "No keyring (Secret Service) answers here: the key of what \(identifier) saves will be in a file that you alone can read."
            )
        }
    }
}
