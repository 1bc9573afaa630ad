import CLinux
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The apps of the desktop by their programs, from the files `*.desktop`. Read when asked for, and again when a folder
/// has changed.
final class DesktopApplications: Sendable {
    private struct Known {
        var identifiers: [String: String] = [:]
        var names: [String: String] = [:]
        var changes: [Int] = []
    }

    private let folders: [String]
    private let known = Mutex<Known?>(nil)

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let home = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { "\($0)/.local/share" }
        let shared = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
        // What the system has installed goes first: an entry of the user's takes no program's name away.
        folders = (shared.split(separator: ":").map(String.init) + [home].compactMap(\.self)).map {
            "\($0)/applications"
        }
    }

    func identifier(ofExecutable path: String) -> String? { look { $0.identifiers[path] } }

    func name(of identifier: String) -> String? { look { $0.names[identifier] } }

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

    /// When something was put into a folder, or taken out of it.
    private static func change(_ folder: String) -> Int {
        var status = stat()
        guard stat(folder, &status) == 0 else { return 0 }
        return status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
    }

    private func read() -> Known {
        var known = Known()
        for folder in folders {
            for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            where file.hasSuffix(".desktop") {
                guard let data = FileManager.default.contents(atPath: "\(folder)/\(file)"), data.count < 1 << 18 else {
                    continue
                }
                let entry = Self.entry(String(decoding: data, as: UTF8.self))
                let identifier = String(file.dropLast(8))
                if let name = entry["Name"], known.names[identifier] == nil { known.names[identifier] = name }
                guard let command = entry["Exec"]?.split(separator: " ").first.map(String.init),
                    let program = Self.resolve(command.trimmingCharacters(in: ["\""])),
                    known.identifiers[program] == nil
                else { continue }
                known.identifiers[program] = identifier
            }
        }
        return known
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

    private static func resolve(_ command: String) -> String? {
        // Interpreters and launchers run anything.
        let launchers = ["env", "sh", "bash", "flatpak", "snap", "python", "perl", "ruby", "node", "java"]
        let name = String(command.split(separator: "/").last ?? "").prefix { $0.isLetter }
        guard !launchers.contains(String(name)) else { return nil }
        let candidates =
            command.hasPrefix("/")
            ? [command] : ["/usr/local/bin/\(command)", "/usr/bin/\(command)", "/bin/\(command)"]
        for candidate in candidates {
            guard let real = realpath(candidate, nil) else { continue }
            defer { free(real) }
            return String(cString: real)
        }
        return nil
    }
}
