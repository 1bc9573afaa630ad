import CLinux
import Foundation
import SingleSignOn
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The apps of the desktop by their programs, from those files `*.desktop` that root alone can have written, for programs
/// that root alone can have put there: with others any program of the user could take any app's name. Read when asked
/// for, and again when a folder has changed.
final class DesktopApplications: Sendable {
    private struct Known {
        var identifiers: [String: String] = [:]
        var names: [String: String] = [:]
        /// Where each id's entry is.
        var files: [String: String] = [:]
        var changes: [Int] = []
    }

    private let folders: [String]
    private let owner: FileOwner
    private let known = Mutex<Known?>(nil)

    private static let bytesMax = 1 << 18

    /// - Parameter owner: another one than root for tests.
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

    /// When something was put into a folder or taken out of it, or its rights changed.
    private static func change(_ folder: String) -> Int {
        var status = stat()
        guard stat(folder, &status) == 0 else { return 0 }
        return status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
    }

    private func read() -> Known {
        var known = Known()
        // Some of them are the user's, as Flatpak has them: who can put a link there chooses its name.
        for folder in folders where isOwners(folder) {
            for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            where file.hasSuffix(".desktop") {
                // Flatpak has links there, to what root has installed with it.
                guard let path = Self.resolved("\(folder)/\(file)"),
                    let found = try? OwnedFile.read(path, by: owner, bytesMax: Self.bytesMax)
                else { continue }
                let entry = Self.entry(String(decoding: found.data, as: UTF8.self))
                let identifier = String(file.dropLast(8))
                if known.files[identifier] == nil { known.files[identifier] = path }
                if let name = entry["Name"], known.names[identifier] == nil { known.names[identifier] = name }
                guard let command = entry["Exec"]?.split(separator: " ").first.map(String.init),
                    let program = Self.program(command.trimmingCharacters(in: ["\""])),
                    known.identifiers[program] == nil,
                    (try? OwnedFile.checkProgram(program, of: owner)) != nil
                else { continue }
                known.identifiers[program] = identifier
            }
        }
        return known
    }

    /// Whether only the owner can put anything into a folder, or another folder in its place.
    private func isOwners(_ folder: String) -> Bool {
        var status = stat()
        return stat(folder, &status) == 0 && owner.problem(status, at: folder) == nil
            && owner.problem(above: folder) == nil
    }

    /// The keys of `[Desktop Entry]`.
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

    /// Whether a program runs whatever it is given: interpreters, shells, what starts others, and the loader of programs.
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
        // A link may have an app's name and lead to what runs others.
        return candidates.lazy.compactMap(resolved).first.flatMap { isLauncher($0) ? nil : $0 }
    }

    private static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
