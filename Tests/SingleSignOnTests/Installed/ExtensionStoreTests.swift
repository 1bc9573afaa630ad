import Foundation
import SingleSignOn
import Testing

@Suite struct ExtensionStoreTests {
    private let folder: StoreFolder
    private let store: ExtensionStore

    init() throws {
        folder = try StoreFolder()
        store = ExtensionStore(folders: ["\(folder.path)/extensions"], trustsUser: true)
    }

    private func put(_ executable: String, mode: mode_t = 0o644) throws {
        let manifest = """
            {"extensionIdentifier": "test.acme.ext", "hostAppIdentifier": "test.acme", "teamIdentifier": "ACME123456",
            "displayName": "Acme", "executable": "\(executable)"}
            """
        try folder.put(Data(manifest.utf8), at: "extensions/acme.json", mode: mode)
    }

    private func putProgram(_ name: String, mode: mode_t = 0o755) throws -> String {
        try folder.put(Data("#!/bin/sh\n".utf8), at: name, mode: mode)
        return "\(folder.path)/\(name)"
    }

    @Test func `an extension is there with its manifest and its program`() throws {
        try put(putProgram("bin/acme"))
        let (manifests, faulty) = store.load()
        #expect(manifests.map(\.identity.extensionIdentifier) == ["test.acme.ext"])
        #expect(faulty.isEmpty)
    }

    @Test func `what others can write does not count`() throws {
        try put(putProgram("bin/acme", mode: 0o777))
        #expect(store.load().faulty.first?.problem.contains("chmod go-w") == true)
        try put(putProgram("bin/acme"), mode: 0o666)
        #expect(store.load().faulty.first?.problem.contains("chmod go-w") == true)
    }

    @Test func `what is no program does not count`() throws {
        for path in ["\(folder.path)/missing", try putProgram("bin/text", mode: 0o644), "/dev/null"] {
            try put(path)
            #expect(store.load().manifests.isEmpty, "\(path)")
            #expect(store.load().faulty.first?.problem.contains(path) == true, "\(path)")
            #expect(store.load().faulty.first?.identifier == "test.acme.ext")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make files that count for all"))
    func `a link to a program leads to where only root can put another`() throws {
        let program = try putProgram("elsewhere/acme")
        try FileManager.default.createDirectory(atPath: "\(folder.path)/bin", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/bin/acme", withDestinationPath: program)
        try put("\(folder.path)/bin/acme")
        #expect(store.load().manifests.count == 1)
        chmod("\(folder.path)/elsewhere", 0o777)
        #expect(store.load().faulty.first?.problem.contains("elsewhere") == true)
    }
}
