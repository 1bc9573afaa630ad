import Foundation
import SingleSignOnExtension
import Testing

@testable import KerberosExtension

/// docs/specifications/extensible-single-sign-on.md, 21.10.
@Suite struct RefusedKeytabTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let folder = ExtensionFolder(
        path: FileManager.default.temporaryDirectory.appending(path: "keytab-\(UUID().uuidString)").path)

    private func version(writing text: String) throws -> RefusedKeytab.Version {
        try folder.write(Data(text.utf8), to: "A.TEST.keytab")
        return try #require(RefusedKeytab.Version("\(folder.path)/A.TEST.keytab"))
    }

    @Test func `a wrong key counts as refused for a day, or until the file is another one`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let file = try version(writing: "old")
        let keytabs = RefusedKeytabs(folder: folder)
        keytabs.write(
            RefusedKeytab(file, of: "kiosk@A.TEST", KerberosFailure(.wrongPassword, "no"), at: Self.now), "A.TEST")
        let refused = try #require(RefusedKeytabs(folder: folder).read("A.TEST"))
        let same = RefusedKeytab.Version(file.path)
        #expect(refused.counts(for: same, of: "kiosk@A.TEST", at: Self.now + 86_399))
        // Another KDC may know the key by then.
        #expect(!refused.counts(for: same, of: "kiosk@A.TEST", at: Self.now + 86_400))
        #expect(refused.counts(for: same, of: nil, at: Self.now))
        #expect(!refused.counts(for: same, of: "other@A.TEST", at: Self.now))
        #expect(!refused.counts(for: nil, of: "kiosk@A.TEST", at: Self.now))
        let new = try version(writing: "new")
        #expect(!refused.counts(for: new, of: "kiosk@A.TEST", at: Self.now))
        keytabs.forget("A.TEST")
        #expect(keytabs.read("A.TEST") == nil)
    }

    @Test func `a file that is written in place is another one, also with its old time`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let file = try version(writing: "old")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        let time = try #require(attributes[.modificationDate] as? Date)
        // The kernel's clock for files goes by ticks of some milliseconds.
        usleep(30_000)
        let handle = try FileHandle(forUpdating: URL(filePath: file.path))
        try handle.write(contentsOf: Data("new".utf8))
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: file.path)
        let other = try #require(RefusedKeytab.Version(file.path))
        #expect(other.number == file.number && other.bytes == file.bytes && other != file)
    }

    @Test func `where the account is the reason, it is asked again after an hour`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let file = try version(writing: "old")
        let refused = RefusedKeytab(
            file, of: "kiosk@A.TEST", KerberosFailure(.accountRevoked, "locked"), at: Self.now)
        #expect(refused.counts(for: file, of: nil, at: Self.now + 3599))
        #expect(!refused.counts(for: file, of: nil, at: Self.now + 3600))
        // A clock that was set back makes nothing last longer.
        #expect(!refused.counts(for: file, of: nil, at: Self.now - 1))
    }

    @Test func `an attempt that was cut off counts as refused for ten minutes, unless its end is known`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let file = try version(writing: "key")
        let keytabs = RefusedKeytabs(folder: folder)
        keytabs.begin(RefusedKeytab(file, of: "kiosk@A.TEST", cutOffAt: Self.now), "A.TEST")
        // Nobody is told that it is refused while it may still succeed.
        #expect(keytabs.read("A.TEST") == nil)
        RefusedKeytabs(folder: folder).takeCutAttempt("A.TEST")
        let refused = try #require(keytabs.read("A.TEST"))
        #expect(refused.isCutOff && refused.counts(for: file, of: nil, at: Self.now + 599))
        #expect(!refused.counts(for: file, of: nil, at: Self.now + 600))
        keytabs.forget("A.TEST")
        keytabs.begin(RefusedKeytab(file, of: "kiosk@A.TEST", cutOffAt: Self.now), "A.TEST")
        keytabs.write(
            RefusedKeytab(file, of: "kiosk@A.TEST", KerberosFailure(.wrongPassword, "no"), at: Self.now + 1), "A.TEST")
        keytabs.takeCutAttempt("A.TEST")
        #expect(keytabs.read("A.TEST")?.kind == .wrongPassword)
        // One that has ended well leaves nothing.
        keytabs.forget("A.TEST")
        keytabs.begin(RefusedKeytab(file, of: "kiosk@A.TEST", cutOffAt: Self.now), "A.TEST")
        keytabs.end("A.TEST")
        keytabs.takeCutAttempt("A.TEST")
        #expect(keytabs.read("A.TEST") == nil)
    }
}
