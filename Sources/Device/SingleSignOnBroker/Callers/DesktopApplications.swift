import CLinux
import SingleSignOn
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Names and ids of the desktop's apps, and which program each starts, from the files `*.desktop`.
///
/// Only files and programs count that nobody but root can have put there: otherwise any program of the user could take
/// the name of any app. The files are read when the first question comes, and again after a folder has changed.
final class DesktopApplications: Sendable {
    private struct Known {
        var identifiers: [String: String] = [:]
        var names: [String: String] = [:]
        /// The path of the file, by id.
        var files: [String: String] = [:]
        var changes: [Int] = []
    }

    private let folders: [String]
    private let owner: FileOwner
    private let known = Mutex<Known?>(nil)

    private static let bytesMax = 1 << 18

    /// - Parameter owner: who must own the files: root, except in tests.
    init(environment: [String: String] = ProcessInfo.processInfo.environment, owner: FileOwner = .root) {
        let shared = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
        folders = shared.split(separator: ":").map { "\($0)/applications" }
        self.owner = owner
    }

    func identifier(ofExecutable path: String) -> String? { look { $0.identifiers[path] } }

    func name(of identifier: String) -> String? { look { $0.names[identifier] } }

    func file(of identifier: String) -> String? { look { $0.files[identifier] } }

    private func look<Value>(_ body: (Known) -> Value?) -> Value? {
        let changes = folders.map(Self.change)
        return known.withLock { known in
            if let known, known.changes == changes { return body(known) }
            var found = read()
            found.changes = changes
            known = found
            return body(found)
        }
    }

    /// When a file was last added to the folder or removed from it, or the folder's mode changed: nanoseconds since
    /// 1970, 0 if there is no such folder.
    private static func change(_ folder: String) -> Int {
        var status = stat()
        guard stat(folder, &status) == 0 else { return 0 }
        return status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
    }

    private func read() -> Known {
        var known = Known()
        // XDG_DATA_DIRS may name folders of the user, for example Flatpak's. There the user could add a link with the
        // name of any app.
        for folder in folders where isOwners(folder) {
            for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            where file.hasSuffix(".desktop") {
                // The files of apps that root has installed with Flatpak are links.
                guard let path = Self.resolved("\(folder)/\(file)"),
                    let found = try? OwnedFile.read(path, by: owner, bytesMax: Self.bytesMax)
                else { continue }
                let entry = Self.entry(String(decoding: found.data, as: UTF8.self))
                let identifier = String(file.dropLast(8))
                if known.files[identifier] == nil { known.files[identifier] = path }
                if let name = entry["Name"], known.names[identifier] == nil { known.names[identifier] = name }
                guard let command = entry["Exec"]?.split(separator: " ").first.map(String.init),
                    let program = Self.program(command.filter { $0 != "\"" }),
                    known.identifiers[program] == nil,
                    (try? OwnedFile.checkProgram(program, of: owner)) != nil
                else { continue }
                known.identifiers[program] = identifier
            }
        }
        return known
    }

    /// Whether only the owner can add files to the folder, or replace the folder itself.
    private func isOwners(_ folder: String) -> Bool {
        var status = stat()
        return stat(folder, &status) == 0 && owner.problem(status, at: folder) == nil
            && owner.problem(above: folder) == nil
    }

    /// The keys of the section `[Desktop Entry]`, with their values.
    static func entry(_ text: String) -> [String: String] {
        var keys: [String: String] = [:]
        var isEntry = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("[") { isEntry = line == "[Desktop Entry]" }
            guard isEntry, let equals = line.firstIndex(of: "=") else { continue }
            keys[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        return keys
    }

    /// Whether a program runs other programs that it is given: an interpreter, a shell, a launcher or the dynamic
    /// loader.
    static func isLauncher(_ command: String) -> Bool {
        let name = command.split(separator: "/").last?.prefix { $0.isLetter } ?? ""
        return launchers.contains(String(name))
    }

    private static let launchers: Set = [
        "bash", "bun", "busybox", "dash", "deno", "dotnet", "electron", "env", "flatpak", "gjs", "java", "ld", "lua",
        "mono", "node", "nodejs", "perl", "php", "pypy", "python", "ruby", "sh", "snap", "zsh",
    ]

    private static func program(_ command: String) -> String? {
        guard !isLauncher(command) else { return nil }
        let candidates =
            command.hasPrefix("/")
            ? [command] : ["/usr/local/bin/\(command)", "/usr/bin/\(command)", "/bin/\(command)"]
        // A link may have the name of an app and lead to an interpreter.
        return candidates.lazy.compactMap(resolved).first.flatMap { isLauncher($0) ? nil : $0 }
    }

    private static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
