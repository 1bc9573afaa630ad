import Administration
import CommandOutput
import Foundation
import Ground
import ServerHTTP

/// What a running server looks at, so that administrators learn of it on the console. All else that the doctor looks at is
/// among the findings of an organization, or takes long, such as reading the whole trail.
struct Checkup: Sendable {
    let settings: Settings
    let surroundings: Surroundings

    func troubles(withNetwork: Bool) async -> [ServerTrouble] {
        let now = surroundings.now()
        let files = FileExamination(settings: settings)
        let masterKey = files.masterKey(surroundings: surroundings)
        let local: [(ServerTrouble, [Finding?])] = [
            (.settings, await SettingsExamination(settings: settings).findings()),
            (.profileSigning, ProfileSigningExamination(settings: settings, now: now).findings()),
            (.diskSpace, [files.space()]), (.secrets, [files.permissions(), masterKey.finding]),
            (.backup, BackupExamination(settings: settings, masterKey: masterKey.key, now: now).findings()),
        ]
        let troubles = local.filter { $0.1.contains { $0?.status == .problem } }.map(\.0)
        // Whoever develops has no proxy, and a mail server of their own.
        guard withNetwork, !settings.isDevelopment else { return troubles }
        return troubles + (await around(at: now))
    }

    private func around(at now: Date) async -> [ServerTrouble] {
        guard let server = try? await settings.server() else { return [] }
        let address = AddressExamination(baseURL: server.baseURL, now: now, nameServers: server.nameServers)
        let takesMail = await MailExamination(server: server).reach()?.status != .problem
        return (await address.isDistrusted() ? [.certificate] : []) + (takesMail ? [] : [.mailServer])
    }
}
