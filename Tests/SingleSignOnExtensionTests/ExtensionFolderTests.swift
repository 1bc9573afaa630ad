import Foundation
import SingleSignOnExtension
import SingleSignOnWire
import Testing

@Suite struct ExtensionFolderTests {
    @Test func `callers have folders of their own`() {
        let folder = ExtensionFolder(path: "/x")
        #expect(folder.folder(of: "exe:/usr/bin/curl").path == "/x/callers/exe%3a%2fusr%2fbin%2fcurl")
        #expect(folder.folder(of: "..").path == "/x/callers/%2e.")
        #expect(folder.folder(of: "").path == "/x/callers/%")
    }

    @Test func `names of files lead nowhere else, and differ for different texts`() {
        let texts = [
            "../../etc/passwd", "..", ".", "/", "a/b", "a%2fb", "A", "a", "ä", "a\u{0}b", " ", "", "%", "\u{A}b",
            "\u{AB}",
            "\u{1}2", "\u{12}", ".a", "%2ea",
        ]
        let names = texts.map(\.fileName)
        #expect(Set(names).count == texts.count)
        for name in names {
            #expect(!name.isEmpty && !name.contains("/") && !name.hasPrefix(".") && !name.contains("\u{0}"))
        }
        #expect("exe:/usr/bin/a.b".fileName == "exe%3a%2fusr%2fbin%2fa.b")
    }

    @Test func `what is written is there whole, for this user alone, under a name of any length`() throws {
        let folder = ExtensionFolder(path: NSTemporaryDirectory() + "/extension-folder.\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let caller = folder.folder(of: "exe:/" + String(repeating: "long/", count: 100))
        for (name, text) in [("a/b", "1"), (String(repeating: "x", count: 500), "2"), ("a/b", "3")] {
            try caller.write(Data(text.utf8), to: name)
            #expect(caller.read(name) == Data(text.utf8))
        }
        let files = try #require(FileManager.default.subpaths(atPath: folder.path)).map { "\(folder.path)/\($0)" }
        #expect(!files.isEmpty)
        for file in files {
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode.map { $0 & 0o077 } == 0, "\(file)")
        }
        caller.remove("a/b")
        #expect(caller.read("a/b") == nil)
    }
}
