import Ground
import Testing

@Suite struct StringTrimmingTests {
    @Test(arguments: [
        ("", "", ""), ("a", "a", "a"), (" \ta b\t ", "a b", "a b"), ("\u{3000}a\u{A0}", "a", "a"),
        ("\n a\r\n", "\n a\r\n", "a"),
        (" \n ", "\n", ""), ("\u{2028}a\u{85}", "\u{2028}a\u{85}", "a"), ("\u{200B}a\0", "\u{200B}a\0", "\u{200B}a\0"),
    ])
    func `what is around a text goes, ends of lines only where they are meant`(
        text: String, withoutSpaces: String, withoutWhitespace: String
    ) {
        #expect(text.trimmingSpaces == withoutSpaces)
        #expect(text.trimmingWhitespace == withoutWhitespace)
        #expect("x\(text)"[...].dropFirst().trimmingSpaces == withoutSpaces)
    }
}
