import Foundation
import Ground
import SingleSignOnExtension
import Testing

@testable import ExtensionVault
@testable import KerberosExtension

/// What is saved of a sign-in is changed by several requests at once.
@Suite struct SavingTests {
    @Test func `no change is written over by a copy that is out of date`() async throws {
        let folder = ExtensionFolder(
            path: FileManager.default.temporaryDirectory.appending(path: "saving-\(UUID().uuidString)").path)
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let desk = Desk(folder, surroundings: .system, files: DeviceFiles(folders: []))
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        // There is nothing to change before somebody has signed in.
        await desk.update("A.TEST") { $0.password = "x" }
        #expect(desk.store.read("A.TEST") == nil)
        try await signIn(desk) { _ in
            SavedSignIn(userName: "mika", password: "x", signedInAt: start, expiryToldAt: start)
        }
        await withTaskGroup(of: Void.self) { tasks in
            for number in 0..<40 {
                tasks.addTask {
                    try? await signIn(desk) { saved in
                        // A sign-in keeps what others have changed.
                        var new = SavedSignIn(userName: "mika", password: saved?.password)
                        new.signedInAt = saved?.signedInAt?.addingTimeInterval(1)
                        new.expiryToldAt = saved?.expiryToldAt
                        return new
                    }
                }
                tasks.addTask {
                    await desk.update("A.TEST") { $0.expiryToldAt = $0.expiryToldAt?.addingTimeInterval(1) }
                }
                if number.isMultiple(of: 10) { tasks.addTask { try? await desk.forgetPassword(of: "A.TEST") } }
            }
        }
        let saved = try #require(desk.store.read("A.TEST"))
        #expect(saved.signedInAt == start + 40 && saved.expiryToldAt == start + 40)
        #expect(saved.password == nil)
    }

    @Test func `a password is forgotten also while the keyring is locked`() throws {
        let folder = ExtensionFolder(
            path: FileManager.default.temporaryDirectory.appending(path: "saving-\(UUID().uuidString)").path)
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        // Without a keyring the key is in a file.
        let open = SignInStore(
            vault: Vault(folder) { folder, log in
                try VaultKey.find(folder, log: log, read: { _ in .unavailable }, write: { _, _ in false })
            })
        try open.save(SavedSignIn(userName: "mika", password: "x"), for: "A.TEST")
        let locked = SignInStore(vault: Vault(folder) { _, _ in throw Vault.Locked() })
        #expect(locked.read("A.TEST") == nil)
        locked.forgetPassword(of: "A.TEST")
        #expect(open.read("A.TEST")?.password == nil)
    }

    @Test func `what is forgotten while somebody signs in is not saved again after that`() async throws {
        let folder = ExtensionFolder(
            path: FileManager.default.temporaryDirectory.appending(path: "saving-\(UUID().uuidString)").path)
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let desk = Desk(folder, surroundings: .system, files: DeviceFiles(folders: []))
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        async let signedIn: Void = signIn(desk) { _ in
            SavedSignIn(userName: "mika", password: "x")
        } acquiring: {
            hasBegun.finish()
            for await _ in released {}
        }
        for await _ in begun {}
        #expect(desk.isSigningIn("A.TEST") && desk.signInsEnded("A.TEST") == 0)
        async let forgotten: Void = desk.forgetPassword(of: "A.TEST")
        // It waits for the sign-in, however long that takes.
        try await Task.sleep(for: .milliseconds(100))
        release.finish()
        try await signedIn
        try await forgotten
        let saved = try #require(desk.store.read("A.TEST"))
        #expect(saved == SavedSignIn(userName: "mika"))
        #expect(!desk.isSigningIn("A.TEST") && desk.signInsEnded("A.TEST") == 1)
    }

    /// Signs in without a KDC.
    private func signIn(
        _ desk: Desk, saving: @escaping @Sendable (SavedSignIn?) -> SavedSignIn,
        acquiring: @escaping @Sendable () async -> Void = {}
    ) async throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let ticket = Ticket(
            principal: "mika@A.TEST", cache: "FILE:/x", issued: now, expires: now + 3600, renewableUntil: nil)
        _ = try await desk.signIn(to: "A.TEST", saving: { saving($1) }) {
            await acquiring()
            return Kerberos.NewTicket(ticket: ticket, passwordExpires: nil)
        }
    }
}
