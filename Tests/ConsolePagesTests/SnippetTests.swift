import Foundation
import Testing

@testable import ConsolePages

/// The snippets of the developer portal run in other tests too: the Swift one in PortalSnippetTests, those of Python and
/// curl in a browser test of the portal, the script in the tests of the script for web pages.
@Suite struct SnippetTests {
    @Test("the Swift snippet is the one that PortalSnippetTests compiles and runs")
    func swift() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "LanyardClientTests/SignIn/PortalSnippetTests.swift")
        var lines: [Substring] = []
        var isInside = false
        for line in try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            switch line.trimmingCharacters(in: .whitespaces) {
            case "// snippet begins", "// snippet goes on": isInside = true
            case "// snippet pauses", "// snippet ends": isInside = false
            default: if isInside { lines.append(line.dropFirst(8)) }
            }
        }
        let tested = lines.joined(separator: "\n")
        let shown = SwiftSnippet(
            baseURL: "http://127.0.0.1:1", clientID: "com.example.quizzler", teamID: "T4Z8N1C6PQ",
            returnURL: "https://quizzler.example/callback"
        ).text
        #expect(lines.count > 15)
        #expect(shown.hasSuffix(tested), "\(shown)\n\n\(tested)")
    }

    @Test("a shell gives curl the return URL as it is, whatever its query has")
    func token() throws {
        let returnURL = "https://quizzler.example/callback?school=a&plan=$HOME;it's=`b`"
        let snippet = TokenSnippet(
            baseURL: "http://127.0.0.1:1", clientID: "com.example.quizzler", returnURL: returnURL
        ).text
        let (shell, output) = (Process(), Pipe())
        shell.executableURL = URL(filePath: "/bin/bash")
        // In place of curl, what it is given is written, a line each.
        shell.arguments = ["-ec", #"curl() { printf '%s\n' "$@"; }"# + "\n" + snippet]
        shell.environment = ["SECRET": "s&s", "CODE": "c c"]
        shell.standardOutput = output
        try shell.run()
        let written = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        let words = String(decoding: written, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(
            words == [
                "http://127.0.0.1:1/auth/token", "-d", "client_id=com.example.quizzler", "-d", "client_secret=s&s",
                "-d", "grant_type=authorization_code", "-d", "code=c c", "--data-urlencode",
                "redirect_uri=\(returnURL)",
            ])
    }
}
