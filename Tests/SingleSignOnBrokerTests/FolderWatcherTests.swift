import Foundation
import NIOCore
import Testing

@testable import SingleSignOnBroker

#if canImport(Glibc)
    import Glibc
#endif

@Suite final class FolderWatcherTests {
    private let root: String
    private let descriptor: Int32
    private var watched: WatchedFolders

    init() throws {
        root = NSTemporaryDirectory() + "/folder-watcher.\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        let root = root
        watched = WatchedFolders(
            [
                .init(path: "\(root)/etc/sso/profiles") { $0.hasSuffix(".mobileconfig") },
                .init(path: "\(root)/etc/sso") { $0 == "policy.json" },
            ], descriptor)
        watched.watch()
    }

    deinit {
        close(descriptor)
        try? FileManager.default.removeItem(atPath: root)
    }

    private func make(_ folder: String) throws {
        try FileManager.default.createDirectory(atPath: "\(root)/\(folder)", withIntermediateDirectories: true)
    }

    private func write(_ file: String) throws { try Data("x".utf8).write(to: URL(filePath: "\(root)/\(file)")) }

    /// Whether any event since the last call matters.
    private func isConcerned() -> Bool {
        var isConcerned = false
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
            var events = ByteBuffer(bytes: bytes[..<count])
            if watched.isConcerned(by: &events) { isConcerned = true }
        }
        return isConcerned
    }

    @Test func `on the way to a folder that is missing nothing matters but the way`() throws {
        try make("other")
        try write("file")
        try write("policy.json")
        try write("a.mobileconfig")
        #expect(!isConcerned())
        try make("etc")
        #expect(isConcerned())
        watched.watch()
        try write("etc/file")
        #expect(!isConcerned())
        try make("etc/sso/profiles")
        #expect(isConcerned())
    }

    @Test func `in a folder its own files matter, and drafts do not`() throws {
        try make("etc/sso/profiles")
        watched.watch()
        _ = isConcerned()
        for file in ["etc/file", "etc/sso/other.json", "etc/sso/a.mobileconfig", "etc/sso/profiles/.draft-1"] {
            try write(file)
            #expect(!isConcerned(), "\(file)")
        }
        for file in ["etc/sso/policy.json", "etc/sso/profiles/a.mobileconfig"] {
            try write(file)
            #expect(isConcerned(), "\(file)")
        }
        rename("\(root)/etc/sso/profiles/.draft-1", "\(root)/etc/sso/profiles/b.mobileconfig")
        #expect(isConcerned())
        unlink("\(root)/etc/sso/profiles/b.mobileconfig")
        #expect(isConcerned())
        chmod("\(root)/etc/sso/profiles", 0o700)
        #expect(isConcerned())
    }

    @Test func `a folder that goes and comes back is watched again`() throws {
        try make("etc/sso/profiles")
        watched.watch()
        _ = isConcerned()
        rename("\(root)/etc/sso", "\(root)/etc/away")
        #expect(isConcerned())
        watched.watch()
        try write("etc/away/policy.json")
        try write("etc/away/profiles/a.mobileconfig")
        #expect(!isConcerned())
        try make("etc/sso")
        #expect(isConcerned())
        watched.watch()
        try write("etc/sso/policy.json")
        #expect(isConcerned())
    }
}
