import Administration
import CommandOutput
import Foundation
import Ground
import ServerHTTP

/// Checks what a running server tells administrators on the console. All else that the doctor looks at is among the findings
/// of an organization, or takes long, such as reading the whole trail.
struct ConditionExamination: Sendable {
    let settings: Settings
    let now: Date

    /// What this machine alone tells.
    func troublesHere() async -> [ServerTrouble] {
        let files = FileExamination(settings: settings)
        let masterKey = files.masterKey(surroundings: .system)
        let keytab = try? await KeytabExamination(server: settings.server()).findings()
        let found: [(ServerTrouble, [Finding?])] = [
            (.settings, await SettingsExamination(settings: settings).generalFindings()),
            (.profileSigning, ProfileSigningExamination(settings: settings, now: now).findings()),
            (.diskSpace, [files.space()]),
            (.secrets, [files.permissions(), masterKey.finding] + (keytab ?? [])),
            (.backup, BackupExamination(settings: settings, masterKey: masterKey.key, now: now).findings()),
        ]
        return found.filter { trouble, findings in
            findings.contains { $0?.status == .problem }
                // Devices need profiles that a new certificate has signed before the old one ends.
                || trouble == .profileSigning && findings.contains { $0?.status == .warning }
        }.map(\.0)
    }

    /// What is around the server. Whoever develops has no proxy, and a mail server of their own.
    func troublesAround() async -> [ServerTrouble] {
        guard !settings.isDevelopment, let server = try? await settings.server() else { return [] }
        let address = AddressExamination(baseURL: server.baseURL, now: now, nameServers: server.nameServers)
        let takesMail = await MailExamination(server: server).reach()?.status != .problem
        return (await address.isDistrusted() ? [.certificate] : []) + (takesMail ? [] : [.mailServer])
    }
}
