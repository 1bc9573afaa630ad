import CommandOutput
import Foundation
import Storage

/// A folder with copies of a database. Each has a manifest, and all of its files begin with the same name.
struct BackupFolder: Sendable {
    let path: String

    /// A copy in a folder, whole or not.
    struct Entry: Equatable, Sendable {
        /// What the names of its files begin with, such as `lanyard-20261128T021500Z`.
        let stem: String
        let manifest: BackupManifest

        var parts: [BackupManifest.Part] { [manifest.copy] + [manifest.erasures].compactMap(\.self) }
        /// The names of all files, that of the manifest last.
        var files: [String] { parts.map(\.file) + [stem + BackupManifest.ending] }
    }

    /// The copies by their manifests, the newest first. Files without a manifest of Lanyard's are passed over.
    func entries() -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.compactMap { name in
            guard name.hasSuffix(BackupManifest.ending), !name.hasSuffix(BackupManifest.erasuresEnding) else {
                return nil
            }
            let stem = String(name.dropLast(BackupManifest.ending.count))
            guard let data = FileManager.default.contents(atPath: "\(path)/\(name)"),
                let manifest = try? BackupManifest.decoder.decode(BackupManifest.self, from: data),
                manifest.belongs(to: stem)
            else { return nil }
            return Entry(stem: stem, manifest: manifest)
        }
        .sorted { ($0.manifest.madeAt, $0.stem) > ($1.manifest.madeAt, $1.stem) }
    }

    func file(_ part: BackupManifest.Part) -> String { "\(path)/\(part.file)" }

    /// Whether the files of a copy are there with the sizes that the manifest names. Their content is not read.
    func isComplete(_ entry: Entry) -> Bool {
        entry.parts.allSatisfy { part in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file(part))
            return (attributes?[.size] as? NSNumber)?.intValue == part.bytes
        }
    }

    /// A name for a copy that is made now, of which no file is there yet.
    func newStem(at now: Date) -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let time = Self.stamp(now)
        var (stem, number) = ("lanyard-\(time)", 1)
        while names.contains(where: { $0.hasPrefix("\(stem).") }) {
            number += 1
            stem = "lanyard-\(time)-\(number)"
        }
        return stem
    }

    /// Keeps others from writing copies into the folder.
    /// - Throws: ``Failure`` if somebody does.
    func lock() throws -> FolderLock {
        guard let lock = try FolderLock(path) else {
            throw Failure("Another `lanyard backup` is writing into \(path). Wait until it has ended.")
        }
        return lock
    }

    /// A time in UTC for the name of a file, such as `20261128T021500Z`.
    static func stamp(_ time: Date) -> String {
        time.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted))
    }

    // MARK: Writing

    /// Where a file is written before it gets its name.
    func draft(_ name: String) -> String { "\(path)/.\(name)\(Self.draftEnding)" }

    private static let draftEnding = ".unfinished"

    /// Removes what a process has left that was killed while it wrote. To be called under the lock.
    func removeDrafts() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where name.hasPrefix(".lanyard-") && name.hasSuffix(Self.draftEnding) {
            unlink("\(path)/\(name)")
        }
    }

    /// Writes a new file for its owner alone, down to the disk.
    func write(_ content: Data, to draft: String) throws {
        let descriptor = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0, writeAll(content, to: descriptor), fsync(descriptor) == 0, close(descriptor) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { unlink(draft) }
            throw Failure("\(draft) cannot be written: \(reason).")
        }
    }

    /// Gives a draft its name.
    func publish(_ name: String) throws {
        guard rename(draft(name), "\(path)/\(name)") == 0 else {
            throw Failure("\(path)/\(name) cannot be written: \(String(cString: strerror(errno))).")
        }
    }

    /// Removes a copy. Its manifest goes last, so that what is left of it is recognized if somebody pulls the plug.
    func remove(_ entry: Entry) throws {
        for name in entry.files
        where unlink("\(path)/\(name)") != 0 && errno != ENOENT {
            throw Failure("The old copy \(path)/\(name) cannot be removed: \(String(cString: strerror(errno))).")
        }
    }
}

/// Which copies are kept. Each limit counts by itself.
struct BackupRetention: Equatable, Sendable {
    /// How many copies there are at most; nil for any number.
    var count: Int?
    /// How many days a copy is kept at most; nil for ever.
    var days: Int?

    /// The copies to be removed after `newest` was verified: only those under the same master key, because others may use the folder
    /// too, and never the newest.
    func superfluous(
        in entries: [BackupFolder.Entry], newest: BackupFolder.Entry, at now: Date
    ) -> [BackupFolder.Entry] {
        let others = entries.filter { $0.stem != newest.stem && $0.manifest.masterKey == newest.manifest.masterKey }
            .sorted { ($0.manifest.madeAt, $0.stem) > ($1.manifest.madeAt, $1.stem) }
        return others.enumerated().filter { place, entry in
            let isTooMany = count.map { place + 1 >= $0 } ?? false
            let isTooOld = days.map { now.timeIntervalSince(entry.manifest.madeAt) > Double($0) * 86_400 } ?? false
            return isTooMany || isTooOld
        }
        .map(\.element)
    }
}

/// Holds a folder for one process. The system releases it when the process ends, even if it crashes.
final class FolderLock {
    private let descriptor: Int32

    /// - Returns: nil if another process holds it.
    /// - Throws: ``Failure`` if there is no such folder.
    init?(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure("The folder \(path) cannot be opened: \(String(cString: strerror(errno))).")
        }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return nil }
    }

    deinit { close(descriptor) }
}
