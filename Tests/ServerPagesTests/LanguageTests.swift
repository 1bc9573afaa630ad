import Testing

@testable import ServerPages

@Suite struct LanguageTests {
    @Test(
        "the browser's best match wins; what cannot be read or matched is skipped",
        arguments: [
            (nil, Language.english),
            ("", .english),
            ("ja", .japanese),
            ("JA-jp", .japanese),
            ("ko-KR,ko;q=0.9,en;q=0.8", .korean),
            ("en;q=0.5, ja;q=0.7, ko;q=0.6", .japanese),
            ("ja ; q=0.5 ,\tko ; Q=0.500001, ko;q=0.501", .korean),
            ("ko,ja", .korean),
            ("fr-CH, fr;q=0.9, ko;q=0.1", .korean),
            ("de, *;q=0.5", .english),
            ("ja;q=0, ko;q=0.2", .korean),
            ("en;q=0, *;q=0.8, ja;q=0.3", .japanese),
            ("ja;q=1.1, ko;q=0.1", .korean),
            ("ja;q=x, ;q=1, ;, -, ko;q=1.000", .korean),
            ("ja;q=0.5;v=1", .english),
            ("jam", .english),
        ] as [(String?, Language)])
    func prefers(acceptLanguage: String?, expected: Language) {
        #expect(Language.preferred(cookie: nil, acceptLanguage: acceptLanguage) == expected)
    }

    @Test("the person's own choice wins over the browser")
    func prefersCookie() {
        #expect(Language.preferred(cookie: "ja", acceptLanguage: "ko") == .japanese)
    }

    @Test("a cookie that names no language of ours is ignored", arguments: ["", "fr", "JA", "ja; q=1", "<script>"])
    func ignoresForeignCookie(cookie: String) {
        #expect(Language.preferred(cookie: cookie, acceptLanguage: "ko") == .korean)
    }
}
