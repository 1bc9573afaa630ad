import CommandOutput
import Crypto
import Foundation
import Testing

@testable import ServerCommands

@Suite("Files that commands write")
struct FilesTests {
    /// A folder that goes with the test.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("files-\(UUID())").path
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    @Test("A private key is for its owner alone, and never takes the place of another file")
    func privateKey() throws {
        let folder = try Folder()
        let file = PrivateKeyFile(path: "\(folder.path)/key.pem")
        let key = P256.Signing.PrivateKey()
        try file.write(key)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let written = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(try P256.Signing.PrivateKey(pemRepresentation: written).rawRepresentation == key.rawRepresentation)
        #expect(throws: Failure.self) { try file.write(P256.Signing.PrivateKey()) }
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == written)
    }

    @Test("A demo's script replaces its like, and nothing else")
    func demoScript() throws {
        let folder = try Folder()
        let path = try DemoScript.write("lanyard", in: folder.path, "exec true")
        try DemoScript.write("lanyard", in: folder.path, "exec false")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "#!/bin/sh\nexec false\n")
        try Data("a diary".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: Failure.self) { try DemoScript.write("lanyard", in: folder.path, "exec true") }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a diary")
    }

    @Test("A folder is made with those above it; a file in its place is said")
    func folders() throws {
        let folder = try Folder()
        try CommandOutput.Folder.make("\(folder.path)/a/b/c")
        try CommandOutput.Folder.make("\(folder.path)/a/b/c")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/a/b/c"))
        try Data().write(to: URL(fileURLWithPath: "\(folder.path)/file"))
        #expect(throws: Failure.self) { try CommandOutput.Folder.make("\(folder.path)/file") }
        #expect(throws: Failure.self) { try CommandOutput.Folder.make("") }
    }
}

@Suite("Programs that are run")
struct InstalledProgramTests {
    @Test("What it writes comes back; what goes wrong is said in its own words")
    func runs() throws {
        let written = try InstalledProgram.run("/bin/sh", ["-c", "printf %s \"$WORD\""], environment: ["WORD": "hi"])
        #expect(String(decoding: written, as: UTF8.self) == "hi")
        let failure = #expect(throws: Failure.self) {
            try InstalledProgram.run("/bin/sh", ["-c", "echo too bad >&2; exit 3"])
        }
        #expect(failure?.description.contains("too bad") == true)
    }

    @Test("One that complains at length is read to its end")
    func complains() throws {
        let failure = #expect(throws: Failure.self) {
            try InstalledProgram.run("/bin/sh", ["-c", "yes complaint | head -c 300000 >&2; echo fine; exit 1"])
        }
        #expect(failure.map { $0.description.count > 200_000 } == true)
    }

    @Test("One that is not installed is named with its place")
    func missing() {
        let failure = #expect(throws: Failure.self) { try InstalledProgram.path(of: "no-such-program") }
        #expect(failure?.description.contains("/no-such-program") == true)
    }
}
