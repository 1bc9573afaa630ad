import Authorization
import CommandOutput
import Directory
import Foundation
import Ground

/// Checks the data folder and the files in it.
struct FileExamination {
    let settings: Settings

    /// Free bytes below which the next import or backup may not fit: 1 GiB.
    private static let spaceLow = 1 << 30
    /// Free bytes below which the server may soon fail to write: 100 MiB.
    private static let spaceMin = 100 << 20

    func findings() -> [Finding] {
        guard FileManager.default.fileExists(atPath: folder) else {
            return [
                .problem(
                    "data folder", "There is no folder \(folder).",
                    remedy: "Name the folder of the data with --data, or begin with `lanyard init`.")
            ]
        }
        return [permissions(), space()]
    }

    /// The folder of the database file; with PostgreSQL, that of the master key, unless systemd has put it into a folder of its
    /// own that is gone with the service.
    private var folder: String {
        if settings.databaseIsServer, settings.keyIsCredential { return settings.dataFolder }
        let path = settings.databaseIsServer ? settings.masterKeyPath : settings.databaseLocation
        return URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    func permissions() -> Finding {
        let check = "data folder"
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder)
        guard let mode = attributes?[.posixPermissions] as? NSNumber else {
            return .problem(
                check, "The permissions of \(folder) cannot be read.",
                remedy: "Run the doctor as the user that runs the server.")
        }
        guard mode.intValue & 0o077 == 0 else {
            return .problem(
                check, "Other users of this machine can look into \(folder).", remedy: "Run `chmod 700 \(folder)`.")
        }
        return .ok(check, "\(folder) is open to its owner alone.")
    }

    func space() -> Finding {
        let check = "disk space"
        guard
            let free = (try? FileManager.default.attributesOfFileSystem(forPath: folder))?[.systemFreeSize] as? NSNumber
        else {
            return .warning(check, "The free space of \(folder) is not known.", remedy: "Look with `df \(folder)`.")
        }
        let words = "\(free.intValue >> 20) MiB free"
        if free.intValue < Self.spaceMin {
            return .problem(check, "Only \(words).", remedy: "Make room: soon nothing can be written.")
        }
        if free.intValue < Self.spaceLow {
            return .warning(check, "Only \(words).", remedy: "Make room before the next import.")
        }
        return .ok(check, "\(words).")
    }

    /// The master key, or a finding that says why it cannot be used. Whether it belongs to the database is checked
    /// elsewhere.
    func masterKey(surroundings: Surroundings) -> (key: MasterKey?, finding: Finding?) {
        let check = "master key"
        let path = settings.masterKeyPath
        // Loading would create a missing key, and the doctor must not change anything.
        guard FileManager.default.fileExists(atPath: path) else {
            return (
                nil,
                .problem(
                    check, "There is no master key \(path).",
                    remedy: "Restore it from your backup; without it no stored key can be opened.")
            )
        }
        do {
            return (try MasterKey.load(path: path, surroundings: surroundings), nil)
        } catch {
            return (
                nil,
                .problem(
                    check, "\(error)",
                    remedy: "The file has to be your own (mode 600) and hold the key of this database.")
            )
        }
    }
}
