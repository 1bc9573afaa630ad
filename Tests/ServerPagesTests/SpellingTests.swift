import Foundation
import Testing

@testable import ServerPages

/// One English spelling: British, with -ize; "email"; "cancelled". docs/design-language.md, Voice.
@Suite struct SpellingTests {
    /// The other spelling of words that occur here.
    private static let others = [
        "e-mail", "canceled", "canceling", "color", "colors", "center", "behavior", "favorite", "labeled", "catalog",
        "license to", "organisation", "organisations", "authorise", "authorised", "recognise", "recognised", "realise",
        "customise", "initialise", "fulfill", "honor", "program me", "judgment",
    ]

    private func findings(in text: String) -> [String] {
        Self.others.filter {
            text.range(of: "(?<![\\w.\\-])\($0)(?![\\w\\-])", options: [.regularExpression, .caseInsensitive]) != nil
        }
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")

    @Test("catalogues keep to one spelling (pages 3.14)")
    func catalogues() throws {
        for path in [
            "Sources/Server/ServerPages/Resources/en.json", "Sources/Device/BrowserExtension/Resources/en.json",
        ] {
            let json = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
            #expect(findings(in: json.replacing(/"\w+":/, with: "")) == [], "\(path)")
        }
    }

    @Test("no page says “please” (docs/design-language.md)")
    func doesNotBeg() throws {
        for room in ["Server/ServerPages", "Device/BrowserExtension"] {
            let catalogue = Self.root.appending(path: "Sources/\(room)/Resources/en.json")
            #expect(try String(contentsOf: catalogue, encoding: .utf8).matches(of: /(?i)\bplease\b/).isEmpty, "\(room)")
        }
    }

    @Test("messages of the command line, the server and Quizzler keep to it (pages 3.14)")
    func messages() throws {
        for folder in ["Sources", "Examples"] {
            let files = try #require(
                FileManager.default.enumerator(at: Self.root.appending(path: folder), includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let source = try String(contentsOf: file, encoding: .utf8)
                // What people read is text with spaces; words of protocols and style sheets are none.
                let prose = source.split(separator: "\n").filter { line in
                    line.contains(/"[^"]* [^"]*"|^\s*[A-Z][^;{}=]*\.$/)
                        && !line.contains(/^\s*\/\/|color:|color-scheme/)
                }
                #expect(findings(in: prose.joined(separator: "\n")) == [], "\(file.lastPathComponent)")
            }
        }
    }
}
