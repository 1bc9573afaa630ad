import CommandOutput
import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Writes and removes Lanyard's own files, and leaves those of others alone.
struct InstalledFiles {
    struct Report: Encodable {
        var written: [String] = []
        var warnings: [String] = []
    }

    /// A prefix for every path; empty for the system itself.
    let root: String

    /// Replaces each file atomically. A file that belongs to somebody else is left alone and reported in a warning.
    func write(_ files: [PlannedFile]) throws -> Report {
        var report = Report()
        for file in files {
            let path = root + file.path
            if file.isShared, let present = FileManager.default.contents(atPath: path), !Self.isOurs(present) {
                report.warnings.append(
                    "\(path) has policies of others and was left alone. Add these to it:\n\(file.text ?? "")")
                continue
            }
            try write(file, to: path)
            report.written.append(path)
            if let warning = Self.conflict(of: path) { report.warnings.append(warning) }
        }
        return report
    }

    func contains(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root + path) }

    /// - Returns: the paths that existed and were removed.
    func remove(_ paths: [String]) throws -> [String] {
        var removed: [String] = []
        for path in paths.map({ root + $0 }) {
            guard let present = FileManager.default.contents(atPath: path) else { continue }
            if path.hasSuffix("/policies.json"), !Self.isOurs(present) { continue }
            guard unlink(path) == 0 else {
                throw Failure("\(path) cannot be removed: \(String(cString: strerror(errno))).")
            }
            removed.append(path)
            removeEmptyFolders(above: path)
        }
        return removed
    }

    /// Removes empty folders of Lanyard; those of browsers stay.
    private func removeEmptyFolders(above path: String) {
        var folder = Self.folder(of: path)
        while folder.contains("/lanyard"), rmdir(folder) == 0 {
            folder = Self.folder(of: folder)
        }
    }

    /// The path before the last slash; `/` for a file in the root.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func write(_ file: PlannedFile, to path: String) throws {
        let folder = Self.folder(of: path)
        let new = "\(path).new-\(getpid())"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try file.content.write(to: URL(fileURLWithPath: new), options: .withoutOverwriting)
        } catch {
            throw Failure("\(path) cannot be written.")
        }
        // Renamed into place, so that a browser reads either the old file or the new one.
        guard chmod(new, file.mode) == 0, rename(new, path) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(new)
            throw Failure("\(path) cannot be written: \(reason).")
        }
    }

    /// Whether Firefox's policy file has only our policies.
    private static func isOurs(_ content: Data) -> Bool {
        guard let file = try? JSONValue(reading: content).fields, file.count == 1,
            let policies = file["policies"]?.fields,
            let extensions = policies["ExtensionSettings"]?.fields,
            Set(extensions.keys) == [BrowserLayout.firefoxID]
        else { return false }
        let preferences = policies["Preferences"]?.fields ?? [:]
        let authentication = policies["Authentication"]?.fields ?? [:]
        let locked = policies["Extensions"]?.fields ?? [:]
        return Set(policies.keys).isSubset(of: ["Authentication", "ExtensionSettings", "Extensions", "Preferences"])
            && Set(locked.keys).isSubset(of: ["Locked"])
            && locked.values.allSatisfy { $0.texts == [BrowserLayout.firefoxID] }
            && Set(preferences.keys).isSubset(of: ["xpinstall.signatures.required"])
            && Set(authentication.keys).isSubset(of: ["SPNEGO"])
    }

    /// A warning if another file has the same policy, since Chromium uses only one of them.
    private static func conflict(of path: String) -> String? {
        guard path.hasSuffix("/policies/managed/lanyard-sso.json"), let ours = fields(of: path) else { return nil }
        let folder = Self.folder(of: path)
        let others = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
            .filter { $0.hasSuffix(".json") && $0 != "lanyard-sso.json" }
        let conflicts = ours.keys.sorted().compactMap { key -> String? in
            let same = others.filter { fields(of: "\(folder)/\($0)")?[key] != nil }
            return same.isEmpty ? nil : "\(same.joined(separator: ", ")) has \(key) too"
        }
        guard !conflicts.isEmpty else { return nil }
        return """
            \(folder): \(conflicts.joined(separator: "; ")). The browser heeds one of the files only: put what lanyard-sso.json \
            has into the other one, and run this again without that browser.
            """
    }

    private static func fields(of path: String) -> [String: JSONValue]? {
        FileManager.default.contents(atPath: path).flatMap { try? JSONValue(reading: $0).fields }
    }
}
