import Ground
import Testing

@Suite struct StringExactlyTests {
    @Test(
        "what looks the same or is the same to Unicode is not the same bytes",
        arguments: [
            ("k", "\u{212A}"), ("\u{e9}", "e\u{301}"), ("\u{c5}", "\u{212B}"),
            ("https://k.test", "https://\u{212A}.test"),
            ("a", "A"), ("a", "a "), ("", "\u{0}"), ("a", "a\u{0}"), ("ss", "ß"), ("\u{ac00}", "\u{1100}\u{1161}"),
        ])
    func different(_ one: String, _ other: String) {
        #expect(!one.isExactly(other) && !other.isExactly(one))
        #expect(![one, "x"].containsExactly(other))
    }

    @Test(
        "every text is itself, however it was made", arguments: ["", "a", "\u{212A}", "e\u{301}", "日本", "\u{0}", "👩‍🏫"])
    func same(_ text: String) {
        #expect(text.isExactly(String(decoding: Array(text.utf8), as: UTF8.self)))
        #expect(["x", text].containsExactly(text))
        #expect(![String]().containsExactly(text))
    }
}
