import CLinux
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Which Debian package has installed a program or a file `*.desktop`. Each path is looked up once.
final class InstalledPackages: Sendable {
    private let known = Mutex<[String: String?]>([:])
    private let folder: String

    init(folder: String = "/var/lib/dpkg/info") {
        self.folder = folder
    }

    /// The name of the package that has installed a file; nil if none has.
    func owner(of executable: String) -> String? {
        if let owner = known.withLock({ $0[executable] }) { return owner }
        // Packages install programs in these folders only. A file elsewhere would be searched for in the list of every
        // package.
        let isOurs = [
            "/usr/bin/", "/usr/sbin/", "/usr/lib/", "/usr/libexec/", "/usr/games/", "/usr/share/applications/", "/opt/",
            "/bin/",
        ].contains { executable.hasPrefix($0) }
        let owner = isOurs ? search(executable) : nil
        known.withLock { known in
            if known.count > 1_000 { known.removeAll() }
            known[executable] = owner
        }
        return owner
    }

    private func search(_ executable: String) -> String? {
        // Lists written before /usr was merged have the shorter path.
        let wanted = [executable, executable.hasPrefix("/usr/") ? String(executable.dropFirst(4)) : executable]
            .map { Array("\($0)\n".utf8) }
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where file.hasSuffix(".list") {
            guard
                let list = try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"), options: .alwaysMapped),
                list.withUnsafeBytes({ list in
                    wanted.contains { word in
                        word.withUnsafeBytes {
                            memmem(list.baseAddress, list.count, $0.baseAddress, $0.count) != nil
                        }
                    }
                })
            else { continue }
            return String(file.dropLast(5).prefix { $0 != ":" })
        }
        return nil
    }
}
