import Foundation
import Testing

@testable import ServerPages

@Suite struct CataloguesTests {
    private func json(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("all languages have the same keys and the same placeholders")
    func agree() throws {
        let catalogues = try Language.allCases.map { try Catalogue($0, json: [Resources.catalogue(in: $0)]) }

        for catalogue in catalogues {
            #expect(catalogue.keys == catalogues[0].keys)
            for key in catalogue.keys {
                #expect(catalogue.placeholders(of: key) == catalogues[0].placeholders(of: key), "\(key)")
            }
        }
    }

    @Test("no sentence is kept that no page uses")
    func haveNothingToSpare() throws {
        let catalogue = try Catalogue(.english, json: [Resources.catalogue(in: .english)])
        let inTemplates = try Templates(Resources.templates).sentenceKeys
        let inViews = Samples.all.flatMap { $0.view.sentenceKeys }

        let unused = catalogue.keys.subtracting(inTemplates).subtracting(Sentence.namedInCode.map(\.key))
            .subtracting(inViews)
        #expect(unused.sorted() == [])
    }

    @Test("no state of a page is kept that the server never shows")
    func haveNoStateToSpare() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/Server/ServerHTTP")
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        let server = try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()

        // Without what stands in brackets behind a case.
        let ofAdministrator = FirstAdministratorPage.Problem.all.map { String("\($0)".prefix { $0 != "(" }) }
        let states =
            ofAdministrator + PasswordAdvice.allCases.map(\.rawValue)
            + NotSharedPage.Reason.allCases.map(\.rawValue) + ErrorPage.Cause.allCases.map(\.rawValue)
            + ErrorPage.WayOn.Label.allCases.map(\.rawValue) + AccountRole.allCases.map(\.rawValue)
        let unused = try states.filter { try !server.contains(Regex("\\.\($0)\\b")) }
        #expect(unused == [])
    }

    @Test(
        "English tells one from many; Japanese and Korean have one form",
        arguments: [
            (Language.english, 0, "0 people"), (.english, 1, "1 person"), (.english, 2104, "2,104 people"),
            (.japanese, 1, "1人"), (.japanese, 2104, "2,104人"), (.korean, 1, "1명"), (.korean, 1_000_000, "1,000,000명"),
        ])
    func countsPeople(language: Language, count: Int, text: String) throws {
        let html = try Pages().render(Samples.consent(scopes: [.init(.users, count: count)]), in: language)

        #expect(html.contains(#"<p class="concerned">\#(text)</p>"#))
    }

    @Test("a key missing in one language stops the start")
    func refusesMissingKey() {
        let short = #"{"a": {"b": "B"}}"#
        let whole = #"{"a": {"b": "B", "c": "C"}}"#

        #expect(throws: PagesError.missingSentence(key: "a.c", language: .japanese)) {
            _ = try Catalogues(
                [Catalogue(.english, json: [json(whole)]), Catalogue(.japanese, json: [json(short)])], requiring: []
            )
        }
    }

    @Test("a placeholder missing in one language stops the start")
    func refusesMissingPlaceholder() {
        #expect(throws: PagesError.differentPlaceholders(key: "a.b", language: .korean)) {
            _ = try Catalogues(
                [
                    Catalogue(.english, json: [json(#"{"a": {"b": "Connect {app}"}}"#)]),
                    Catalogue(.korean, json: [json(#"{"a": {"b": "연결"}}"#)]),
                ],
                requiring: []
            )
        }
    }

    @Test("a sentence that a template names and no catalogue has stops the start")
    func refusesUnknownSentence() {
        var templates = Resources.templates
        templates["account"] = "{{text.account.nowhere}}"

        #expect(throws: PagesError.missingSentence(key: "account.nowhere", language: .english)) {
            _ = try Pages(templates: templates, catalogue: Resources.catalogue(in:))
        }
    }

    @Test("a broken catalogue stops the start")
    func refusesBrokenCatalogue() {
        let error = #expect(throws: PagesError.self) {
            _ = try Pages(templates: Resources.templates, catalogue: { _ in Array("{".utf8) })
        }
        guard case .brokenCatalogue(.english, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("a broken template stops the start", arguments: ["{{#open}}", "{{#a}}{{/b}}", "{{name"])
    func refusesBrokenTemplate(source: String) {
        let error = #expect(throws: PagesError.self) { _ = try Templates(["broken": source]) }
        guard case .brokenTemplate("broken", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("a partial that does not exist stops the start")
    func refusesMissingPartial() {
        #expect(throws: PagesError.missingPartial(name: "nowhere", template: "page")) {
            _ = try Templates(["page": "{{> nowhere}}"])
        }
    }
}

extension View {
    /// Keys of all sentences that the view names, with its heading.
    fileprivate var sentenceKeys: Set<String> {
        Set([heading.key] + content.values.flatMap(\.sentenceKeys))
    }
}

extension Value {
    fileprivate var sentenceKeys: [String] {
        switch self {
        case .text, .appName, .address, .count, .day, .flag: []
        case .sentence(let sentence): [sentence.key]
        case .group(let content): content.values.flatMap(\.sentenceKeys)
        case .list(let items): items.flatMap { $0.values.flatMap(\.sentenceKeys) }
        }
    }
}
