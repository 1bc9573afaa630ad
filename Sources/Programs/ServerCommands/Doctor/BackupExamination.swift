import Authorization
import CommandOutput
import Foundation

/// Checks how old the newest copy of the database is, if there is a folder for copies.
struct BackupExamination {
    let settings: Settings
    /// The key of this installation: copies under another one are somebody else's. nil if it cannot be used.
    let masterKey: MasterKey?
    let now: Date

    /// How old the newest copy may be: a nightly one may be missing once.
    private static let ageMax = 2 * 86_400.0

    func findings() -> [Finding] {
        guard let path = settings.backupFolder, let masterKey else { return [] }
        let check = "backup"
        let folder = BackupFolder(path: path)
        let remedy =
            "Run `lanyard backup`; where it is run by systemd, `journalctl -u lanyard-backup` says why there is none."
        let own = folder.entries().filter { $0.manifest.masterKey == masterKey.fingerprint }
        guard let newest = own.first(where: folder.isComplete) else {
            // A new installation has its first night before it.
            return [
                isNew
                    ? .ok(check, "There is no copy in \(path) yet; the installation is new.")
                    : .problem(check, "There is no copy in \(path).", remedy: remedy)
            ]
        }
        let words = "The newest copy in \(path) is of \(newest.manifest.madeAt.minuteText) UTC."
        guard now.timeIntervalSince(newest.manifest.madeAt) > Self.ageMax else { return [.ok(check, words)] }
        return [.problem(check, words, remedy: remedy)]
    }

    private var isNew: Bool {
        // systemd makes the file of a credential anew with each start.
        let path = settings.keyIsCredential ? settings.dataFolder : settings.masterKeyPath
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let made = attributes?[settings.keyIsCredential ? .creationDate : .modificationDate] as? Date else {
            return false
        }
        return now.timeIntervalSince(made) <= Self.ageMax
    }
}
