import Foundation
@testable import LanyardClient
import Synchronization
import Testing

@Suite struct TerminalPresentationTests {
    private static let url = "https://lanyard.example/auth/authorize?state=a%20b"

    @Test(
        "the environment says how to open an address",
        arguments: [
            (["BROWSER": "firefox"], [["firefox", url]]),
            (
                ["BROWSER": "firefox -new-tab:w3m %s -o x", "DISPLAY": ":0"],
                [["firefox", "-new-tab", url], ["w3m", url, "-o", "x"]]
            ),
            (["DISPLAY": ":0"], [["xdg-open", url]]),
            (["WAYLAND_DISPLAY": "wayland-0"], [["xdg-open", url]]),
            (["DISPLAY": "", "BROWSER": ""], []),
            ([:], []),
        ])
    func commands(environment: [String: String], commands: [[String]]) {
        #expect(TerminalPresentation(environment: environment).commands(for: Self.url) == commands)
    }

    @Test("a command that opens the address gets it as one word; one that fails, or is not there, is passed over")
    func open() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("browser-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, script) in [("good", "printf '%s\\n' \"$@\" > \"$0.log\""), ("bad", "exit 3")] {
            let file = folder.appendingPathComponent(name)
            try "#!/bin/sh\n\(script)\n".write(to: file, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
        }
        let path = "\(folder.path):/usr/bin:/bin"
        let written = Mutex("")
        let write: @Sendable (String) -> Void = { text in written.withLock { $0 += text } }

        let good = TerminalPresentation(environment: ["BROWSER": "absent:bad:good -x", "PATH": path], write: write)
        #expect(await good.open(Self.url))
        let log = try String(contentsOf: folder.appendingPathComponent("good.log"), encoding: .utf8)
        #expect(log == "-x\n\(Self.url)\n")
        #expect(written.withLock { $0.contains(Self.url) })

        let bad = TerminalPresentation(environment: ["BROWSER": "absent:bad", "PATH": path], write: write)
        #expect(await !bad.open(Self.url))
    }
}
