#if canImport(Glibc)
    import Glibc
#endif
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where SSSD's keeper of tickets (KCM) listens, if MIT Kerberos would not look there by itself.
enum KeeperSocket {
    /// Where MIT Kerberos looks if no configuration says another place.
    static let standard = "/var/run/.heim_org.h5l.kcm-socket"

    /// - Parameters:
    ///   - files: an administrator may name the socket there.
    ///   - root: the root of the file system.
    /// - Returns: the socket that has to be named in a configuration; nil if none has to.
    static func path(_ files: DeviceFiles, root: String = "") -> String? {
        if let named = files.keeperSocket, isPlain(named) { return named }
        // What the machine's configuration says counts, and where MIT Kerberos finds one there is nothing to say.
        guard (try? KerberosContext())?.setting("libdefaults", "kcm_socket") == nil,
            access(root + standard, F_OK) != 0
        else { return nil }
        return listening(root: root).first { isPlain($0) && isSocket(root + $0) }
    }

    /// The sockets of the unit of systemd that starts the keeper. SSSD's own configuration is readable for root alone, and the
    /// unit is what counts where systemd starts it.
    static func listening(root: String) -> [String] {
        let folders = ["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]
            .map { root + $0 }
        let unit = "sssd-kcm.socket"
        guard let main = folders.lazy.compactMap({ text("\($0)/\(unit)") }).first else { return [] }
        // Drop-ins are read in the order of their names, and of two with the same name the first folder's counts.
        var dropIns: [String: String] = [:]
        for folder in folders.reversed() {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(unit).d")) ?? []
            for name in names where name.hasSuffix(".conf") { dropIns[name] = "\(folder)/\(unit).d/\(name)" }
        }
        var sockets: [String] = []
        for part in [main] + dropIns.sorted(by: { $0.key < $1.key }).compactMap({ text($0.value) }) {
            for line in part.split(separator: "\n") {
                let words = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard words.count == 2, trimmed(words[0]) == "ListenStream" else { continue }
                let value = trimmed(words[1])
                // An empty value takes back what was said before (systemd.unit(5)).
                if value.isEmpty { sockets = [] } else { sockets.append(value) }
            }
        }
        return sockets
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let last = text.last, last == " " || last == "\t" || last == "\r" { text.removeLast() }
        return String(text.drop { $0 == " " || $0 == "\t" })
    }

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).flatMap { String(data: $0.prefix(64 << 10), encoding: .utf8) }
    }

    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Whether a path or the name of a cache means in a configuration file what it says: the parser reads quotes, braces,
    /// spaces and percent signs by itself.
    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || "/._-:@+,".utf8.contains($0)
            }
    }
}
