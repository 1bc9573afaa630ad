import Testing

@testable import ServerPages

/// Apps that are called otherwise in some languages, and that have an icon.
@Suite struct AppNameTests {
    private static let app = RequestingApp(
        name: AppName("Quizzler", localized: ["ja": "クイズラー", "xx": "Nobody's"]), iconID: "abc_-123",
        clientID: "com.example.quizzler", teamName: "Quizzler Inc.")

    private static func page(_ language: Language) throws -> String {
        let page = StopUsingPage(
            app: app, account: .personal, hiddenAddress: nil, form: Form(action: "/stop"), cancelPath: "/account")
        return try Pages().render(page, in: language)
    }

    @Test("a page has the name in its language, in sentences too")
    func names() throws {
        #expect(try Self.page(.japanese).contains("クイズラー"))
        #expect(try !Self.page(.japanese).contains("Quizzler<"))
        for language in [Language.english, .korean] {
            #expect(try Self.page(language).contains("Quizzler"))
            #expect(try !Self.page(language).contains("クイズラー"))
        }
    }

    @Test("a badge has the icon in place of initials, and nothing else on the page has it")
    func icon() throws {
        let html = try Self.page(.english)
        #expect(html.contains("<img class=\"badge\" src=\"/pictures/abc_-123.png\""))
        #expect(html.split(separator: "/pictures/", omittingEmptySubsequences: false).count == 2)
    }
}
