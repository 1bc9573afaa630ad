import Foundation
import Testing

@testable import ConsolePages

/// The snippets of the developer portal run in other tests: the Swift one in PortalSnippetTests, those of Python and curl in a
/// browser test of the portal, the script in the tests of the script for web pages.
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
}
