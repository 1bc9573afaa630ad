import Ground
import Synchronization
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The web session of this user: one jar for all callers, for that is what single sign-on is. It is saved as other
/// secrets are.
final class CookieJar: Sendable {
    private static let fileName = "cookies"

    let http: HTTPClient
    private let vault: Vault
    /// As they are on the disk; nil while they could not be read.
    private let saved: Mutex<Set<String>?>

    /// - Parameter now: by which cookies expire.
    init(in vault: Vault, now: @escaping @Sendable () -> Date) {
        self.vault = vault
        let lines: [String]?
        do { lines = try Self.load(vault) } catch {
            writeToLog("the saved web session is not used: \(error)")
            lines = nil
        }
        http = HTTPClient(cookies: lines ?? [], now: now)
        saved = Mutex(lines.map(Set.init))
    }

    private static func load(_ vault: Vault) throws -> [String] {
        guard let data = try vault.read(fileName) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Writes what has changed. Nothing is lost if that is impossible, as long as the program runs; the log says why.
    func save() {
        do { try write() } catch { writeToLog("the web session is not saved: \(error)") }
    }

    /// Forgets the cookies of domains for which the condition holds, on the disk too.
    /// - Throws: ``Vault/Locked``, `ExtensionFolder.CannotRead`, `ExtensionFolder.CannotWrite`: what was saved is there yet.
    func remove(where matches: (String) -> Bool) throws {
        http.removeCookies(where: matches)
        try write(without: matches)
    }

    private func write(without matches: (String) -> Bool = { _ in false }) throws {
        try saved.withLock { saved in
            if saved == nil {
                // What could not be read before counts, where nothing newer has come.
                let before = try Self.load(vault)
                let newer = http.cookies()
                http.insert(before.filter { !matches(HTTPClient.domain(of: $0)) } + newer)
                saved = Set(before)
            }
            let lines = http.cookies()
            guard saved != Set(lines) else { return }
            try vault.write(Data(lines.joined(separator: "\n").utf8), to: Self.fileName)
            saved = Set(lines)
        }
    }
}
