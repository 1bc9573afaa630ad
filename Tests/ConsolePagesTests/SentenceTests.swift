import Administration
import Foundation
import ServerPages
import Testing

@testable import ConsolePages

@Suite struct SentenceTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// Where the console's sentences are named.
    private static let folders = [
        "Sources/Server/ConsolePages", "Sources/Server/ServerHTTP/Console", "Sources/Server/ServerHTTP/Portal",
    ]

    private static func source() throws -> String {
        try folders.map { folder -> String in
            let url = root.appending(path: folder)
            let files = try #require(FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil))
            return try files.compactMap { $0 as? URL }.filter { ["swift", "mustache"].contains($0.pathExtension) }
                .map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func keys(_ language: Language) throws -> Set<String> {
        var keys: Set<String> = []
        for document in PageBook.console.catalogue(language) {
            let sections = try #require(
                try JSONSerialization.jsonObject(with: Data(document)) as? [String: [String: Any]])
            for (section, sentences) in sections { keys.formUnion(sentences.keys.map { "\(section).\($0)" }) }
        }
        return keys
    }

    @Test("every sentence that the code names is in the catalogues")
    func areThere() throws {
        let known = try Self.keys(.english)
        let named = try Self.source().matches(of: /Sentence\(\s*"((?:console|portal)[\w]*\.[\w]+)"/).map {
            String($0.1)
        }
        #expect(named.count > 40)
        #expect(Set(named).subtracting(known).sorted() == [])
    }

    @Test("every sentence of the catalogues is used")
    func areUsed() throws {
        let source = try Self.source()
        let chosen = Set(
            ConsoleSentences.all.map(\.key)
                + ["withdraw", "accept", "decline", "remove"].flatMap { step in
                    ["", "Text", "Button"].map { "portalStep.\(step)\($0)" }
                })
        let unused = try Self.keys(.english).filter { !chosen.contains($0) && !source.contains($0) }
        #expect(unused.sorted() == [])
    }

    @Test("apps have names in the languages of the pages")
    func languages() {
        #expect(LocalizedName.languages == Language.allCases.map(\.rawValue))
    }

    @Test("the pages of the console can be loaded: all catalogues have the same sentences and placeholders")
    func load() throws {
        _ = try Pages(adding: [.console])
    }
}
