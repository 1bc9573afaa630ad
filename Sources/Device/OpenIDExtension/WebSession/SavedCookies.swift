import ExtensionVault
import Ground
import Synchronization
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cookies of this user's web session, shared by all callers and saved in the vault.
final class SavedCookies: Sendable {
    private static let fileName = "cookies"

    let http: HTTPClient
    private let vault: Vault
    /// The cookies on disk; nil as long as they could not be read.
    private let saved: Mutex<Set<String>?>

    /// - Parameter now: the clock that decides which cookies have expired.
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

    /// Saves the cookies if they have changed. A failure is logged, and they stay in memory.
    func save() {
        do { try write() } catch { writeToLog("the web session is not saved: \(error)") }
    }

    /// Deletes the cookies whose domains match, on disk too.
    /// - Throws: ``Vault/Locked``, `ExtensionFolder.CannotRead`, `ExtensionFolder.CannotWrite`. The saved cookies are
    ///   still there then.
    func remove(where matches: (String) -> Bool) throws {
        http.removeCookies(where: matches)
        try write(without: matches)
    }

    private func write(without matches: (String) -> Bool = { _ in false }) throws {
        try saved.withLock { saved in
            if saved == nil {
                // The saved cookies can be read now. Add them, but let newer ones win.
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
