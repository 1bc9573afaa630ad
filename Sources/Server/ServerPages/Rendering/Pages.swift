import Foundation
import Ground

/// The people-facing pages: templates, sentences and assets, all embedded in the binary and loaded at start.
///
/// This room knows nothing of HTTP and makes no decisions: the server provides a page's values and gets a document
/// back.
package struct Pages: Sendable {
    /// The style sheet, the script and the icon.
    package let assets: [Asset]
    private let style: Asset
    private let script: Asset
    private let icon: Asset
    /// The addresses of the books' style sheets and scripts, by the names under which templates find them.
    private let bookPaths: Content
    private let templates: Templates
    let catalogues: Catalogues

    /// - Throws: `PagesError` if a template or a catalogue is broken, or a sentence is missing in a language.
    package init() throws {
        self = try Self.embedded.get()
    }

    /// The pages of this room, and of others.
    /// - Throws: `PagesError`, as ``init()``.
    package init(adding books: [PageBook]) throws {
        try self.init(templates: Resources.templates, catalogue: Resources.catalogue(in:), adding: books)
    }

    /// Read and checked once in a process, whose servers and letters share it.
    private static let embedded = Result {
        try Pages(templates: Resources.templates, catalogue: Resources.catalogue(in:))
    }

    init(
        templates sources: [String: String], catalogue json: (Language) -> [UInt8], adding books: [PageBook] = []
    ) throws {
        templates = try Templates(books.reduce(into: sources) { $0.merge($1.templates) { own, _ in own } })
        let catalogues = try Language.allCases.map { language in
            do {
                return try Catalogue(language, json: [json(language)] + books.flatMap { $0.catalogue(language) })
            } catch {
                throw PagesError.brokenCatalogue(language: language, reason: "\(error)")
            }
        }
        let named = Set(Sentence.namedInCode.map(\.key) + books.flatMap { $0.sentences.map(\.key) })
        self.catalogues = try Catalogues(catalogues, requiring: templates.sentenceKeys.union(named))
        style = .styleSheet(Resources.style)
        script = .script(Resources.script)
        icon = Asset(fileExtension: "svg", contentType: "image/svg+xml", bytes: Resources.icon)
        assets = [style, script, icon] + books.flatMap { [$0.style, $0.script] }
        bookPaths = books.reduce(into: [:]) { paths, book in
            paths["\(book.name)StylePath"] = .text(book.style.path)
            paths["\(book.name)ScriptPath"] = .text(book.script.path)
        }
    }

    /// Renders a complete HTML document. All text from people is escaped.
    package func render(_ page: some Page, in language: Language, for visit: Visit) -> String {
        let catalogue = catalogues[language]
        var view = page.view
        if let carried = visit.carried { view = view.carrying(carried) { catalogue.keys.contains($0) } }
        var values = view.content.merging(bookPaths) { own, _ in own }
        values["strapTone"] = (view.owner?.tone.number).map { .text(String($0)) }
        values["isWide"] = .flag(view.isWide)
        if let owner = view.owner, let terms = owner.termsURL {
            values["termsURL"] = .text(terms)
            values["termsLabel"] = .sentence(Sentence(Sentence.terms.key, ["organization": .text(owner.name)]))
        }
        let heading = catalogue.words(of: view.heading, with: view.content)
        values["heading"] = .text(heading)
        // The title mentions the problem, for people who hear the page or have many tabs.
        values["title"] =
            view.hasProblem
            ? .sentence(Sentence(Sentence.titleWithProblem.key, ["heading": .text(heading)])) : .text(heading)
        values["language"] = .text(language.rawValue)
        values["languages"] = .list(
            Language.allCases.map { other in
                ["code": .text(other.rawValue), "name": .text(other.endonym), "isCurrent": .flag(other == language)]
            })
        values["familyNameFirst"] = .flag(language.putsFamilyNameFirst)
        values["currentPath"] = .text(visit.currentPath)
        // The language switch sends this along, so that the page comes back with what was typed.
        values["carried"] = .text(FormEncoding.encode(view.carried.fields))
        // For pages that have no place of their own for the problem.
        values["carriedProblem"] =
            view.content["problem"] == nil
            ? visit.carried?.problems.first { $0.field == nil && catalogue.keys.contains($0.key) }
                .map { .sentence($0.sentence) } : nil
        values["csrfToken"] = .text(visit.csrfToken)
        values["stylePath"] = .text(style.path)
        values["scriptPath"] = .text(script.path)
        values["iconPath"] = .text(icon.path)
        return templates.render(view.template, with: values, sentenceValues: view.content, in: catalogue)
    }

    /// Renders a document that has its style in itself, and belongs to no visit.
    func render(_ view: View, style: String, in language: Language) -> String {
        let catalogue = catalogues[language]
        var values = view.content
        values["heading"] = .text(catalogue.words(of: view.heading, with: view.content))
        values["language"] = .text(language.rawValue)
        values["style"] = .text(style)
        return templates.render(view.template, with: values, sentenceValues: view.content, in: catalogue)
    }
}
