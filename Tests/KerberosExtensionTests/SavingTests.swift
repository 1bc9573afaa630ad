import Foundation
import Ground
import SingleSignOnExtension
import Testing

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
        await desk.save("A.TEST") { _ in SavedSignIn(userName: "mika", signedInAt: start, expiryToldAt: start) }
        await withTaskGroup(of: Void.self) { tasks in
            for number in 0..<40 {
                tasks.addTask {
                    await desk.save("A.TEST") { saved in
                        // A sign-in keeps what others have changed.
                        var new = SavedSignIn(userName: "mika")
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
    }
}
