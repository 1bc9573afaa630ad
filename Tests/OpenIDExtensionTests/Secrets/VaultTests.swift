import Crypto
@testable import ExtensionVault
import Foundation
import Ground
@testable import OpenIDExtension
@testable import SingleSignOnExtension
import Synchronization
import Testing
import WebClient

@Suite struct VaultTests {
    @Test func `what was written is read, and not by who has only the file`() throws {
        let folder = ExtensionFolder.temporary()
        defer { folder.remove() }
        try Vault(folder, log: { _ in }, findKey: fileKey).write(Data("secret".utf8), to: "a")
        #expect(try Vault(folder, log: { _ in }, findKey: fileKey).read("a") == Data("secret".utf8))
        #expect(folder.read("a")?.range(of: Data("secret".utf8)) == nil)
    }

    @Test func `a file in another's place is not read`() throws {
        let folder = ExtensionFolder.temporary()
        defer { folder.remove() }
        let vault = Vault(folder, log: { _ in }, findKey: fileKey)
        try vault.write(Data("a".utf8), to: "tokens", in: folder.folder(of: "one"))
        try folder.folder(of: "two").write(#require(folder.folder(of: "one").read("tokens")), to: "tokens")
        #expect(try vault.read("tokens", in: folder.folder(of: "one")) == Data("a".utf8))
        #expect(try vault.read("tokens", in: folder.folder(of: "two")) == nil)
    }

    @Test func `a damaged file is told and left alone`() throws {
        let folder = ExtensionFolder.temporary()
        defer { folder.remove() }
        let lines = Mutex<[String]>([])
        let vault = Vault(folder, log: { line in lines.withLock { $0.append(line) } }, findKey: fileKey)
        try vault.write(Data("a".utf8), to: "a")
        var damaged = try #require(folder.read("a"))
        damaged[damaged.count - 1] ^= 1
        try folder.write(damaged, to: "a")
        #expect(try vault.read("a") == nil)
        #expect(folder.read("a") == damaged)
        #expect(lines.withLock { $0 }.contains { $0.contains("damaged") })
    }

    @Test func `while the keyring is locked nothing is written with another key`() throws {
        let folder = ExtensionFolder.temporary()
        defer { folder.remove() }
        // As if an earlier run had put the key there; the tests have no keyring.
        try folder.write(Data(), to: "key-in-secret-service")
        try folder.write(Data("sealed".utf8), to: "cookies")
        let vault = Vault(folder, log: { _ in }, findKey: withoutKeyring)
        #expect(throws: Vault.Locked.self) { try vault.read("cookies") }
        #expect(throws: Vault.Locked.self) { try vault.write(Data(), to: "cookies") }
        #expect(folder.read("cookies") == Data("sealed".utf8))
        #expect(folder.read("key") == nil)
    }

    @Test func `signing out fails while the session cannot be read, and works as soon as it can`() throws {
        let folder = ExtensionFolder.temporary()
        defer { folder.remove() }
        let line = "#HttpOnly_id.acme.test\tFALSE\t/\tTRUE\t0\tsession\tabc"
        try Vault(folder, log: { _ in }, findKey: fileKey).write(Data(line.utf8), to: "cookies")
        let isLocked = Mutex(true)
        let vault = Vault(folder, log: { _ in }) { folder, log in
            if isLocked.withLock({ $0 }) { throw ExtensionFolder.CannotRead(path: folder.path) }
            return try fileKey(folder, log)
        }
        let jar = SavedCookies(in: vault, now: Surroundings.system.now)
        #expect(throws: ExtensionFolder.CannotRead.self) { try jar.remove { $0 == "id.acme.test" } }
        isLocked.withLock { $0 = false }
        try jar.remove { $0 == "id.acme.test" }
        #expect(jar.http.cookies() == [])
        #expect(
            SavedCookies(in: Vault(folder, log: { _ in }, findKey: fileKey), now: Surroundings.system.now).http
                .cookies()
                == [])
    }

    @Test func `forgetting some cookies loses none that come meanwhile`() async throws {
        let jar = SavedCookies(in: Vault(.temporary(), log: { _ in }, findKey: fileKey), now: Surroundings.system.now)
        func line(_ name: String, _ host: String) -> String { "\(host)\tFALSE\t/\tTRUE\t0\t\(name)\tx" }
        await withTaskGroup { group in
            group.addTask {
                for number in 0..<200 {
                    jar.http.insert([line("old\(number)", "old.test")])
                    jar.http.removeCookies { $0 == "old.test" }
                }
            }
            group.addTask { for number in 0..<200 { jar.http.insert([line("new\(number)", "new.test")]) } }
        }
        #expect(jar.http.cookies().count == 200)
    }

    @Test func `what is there and cannot be read is not replaced`() throws {
        for name in ["key", "key-in-secret-service", "device-key"] {
            let folder = ExtensionFolder.temporary()
            defer { folder.remove() }
            let isKey = name.hasPrefix("key")
            let vault = Vault(folder, log: { _ in }, findKey: isKey ? withoutKeyring : fileKey)
            try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
            // For a moment it leads nowhere.
            try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(name)", withDestinationPath: name)
            #expect(throws: ExtensionFolder.CannotRead.self, "\(name)") {
                if isKey { _ = try vault.key() } else { _ = try vault.read(name) }
            }
            #expect(throws: ExtensionFolder.CannotRead.self, "\(name)") { _ = try DeviceKey.find(in: vault) }
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder.path)/\(name)") == name)
        }
    }

    @Test func `a key that others could read is closed, and the log says so`() throws {
        let folder = ExtensionFolder.temporary()
        defer { folder.remove() }
        _ = try Vault(folder, log: { _ in }, findKey: withoutKeyring).key()
        let path = "\(folder.path)/key"
        func mode() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
        }
        #expect(try mode() == 0o600)
        let lines = Mutex<[String]>([])
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        _ = try Vault(folder, log: { line in lines.withLock { $0.append(line) } }, findKey: withoutKeyring).key()
        #expect(try mode() == 0o600)
        #expect(lines.withLock { $0 }.contains { $0.contains("could be read by others") })
    }

    @Test func `a line of the log is one line`() {
        #expect("a\nb\u{1b}[2Jc\u{202e}d\u{2028}é 漢".inOneLine() == "a b [2Jc\u{fffd}d é 漢")
    }

    @Test func `two programs at once make one key`() async throws {
        let folder = ExtensionFolder.temporary()
        defer { folder.remove() }
        let thumbprints = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask { try DeviceKey.find(in: Vault(folder, log: { _ in }, findKey: fileKey)).thumbprint }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(thumbprints.count == 1)
    }

    @Test func `the web session is saved as it is, and what ends with the session too`() throws {
        let folder = ExtensionFolder.temporary()
        defer { folder.remove() }
        func vault() -> Vault { Vault(folder, log: { _ in }, findKey: fileKey) }
        let lines = [
            "#HttpOnly_id.acme.test\tFALSE\t/\tTRUE\t0\tsession\tabc", ".other.test\tTRUE\t/\tTRUE\t4102444800\tb\tc",
        ]
        let jar = SavedCookies(in: vault(), now: Surroundings.system.now)
        jar.http.insert(lines)
        jar.save()
        let other = SavedCookies(in: vault(), now: Surroundings.system.now)
        #expect(Set(other.http.cookies()) == Set(lines))
        try other.remove { $0 == "id.acme.test" }
        #expect(SavedCookies(in: vault(), now: Surroundings.system.now).http.cookies() == [lines[1]])
    }
}

/// A key in the folder, whatever this machine has.
@Sendable func fileKey(_ folder: ExtensionFolder, _ log: @Sendable (String) -> Void) throws -> VaultKey {
    if let bytes = folder.read("test-key") { return VaultKey(key: SymmetricKey(data: bytes), place: .file("test-key")) }
    let key = SymmetricKey(size: .bits256)
    try folder.write(key.withUnsafeBytes { Data($0) }, to: "test-key")
    return VaultKey(key: key, place: .file("test-key"))
}

/// As the extension finds its key where there is no session bus.
@Sendable func withoutKeyring(_ folder: ExtensionFolder, _ log: @Sendable (String) -> Void) throws -> VaultKey {
    try VaultKey.find(folder, log: log, read: { _ in .unavailable }, write: { _, _ in false })
}
