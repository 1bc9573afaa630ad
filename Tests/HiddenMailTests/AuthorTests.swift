import Fixtures
import HiddenMail
import Mail
import SeededNumbers
import Testing

@Suite struct AuthorTests {
    @Test(
        "one mailbox is read, however it is written",
        arguments: [
            ("news@quizzler.example", nil),
            ("<news@quizzler.example>", nil),
            ("Quizzler <news@quizzler.example>", "Quizzler"),
            ("\"Quizzler, Inc.\" <news@quizzler.example>", "\"Quizzler, Inc.\""),
            ("\"a \\\" <x@y.example>\" <news@quizzler.example>", "\"a \\\" <x@y.example>\""),
            ("Quizzler (the (real) one <x@y.example>) <news@quizzler.example> (really)", "Quizzler"),
            ("news@quizzler.example (Quizzler)", nil),
            ("=?utf-8?q?Quizz=C3=A9?=\r\n <news@quizzler.example>", "=?utf-8?q?Quizz=C3=A9?="),
            ("Quizzler Inc. <NEWS@Quizzler.Example>", "Quizzler Inc."),
        ] as [(String, String?)])
    func one(_ value: String, phrase: String?) throws {
        let author = try #require(Author(HeaderField(name: "From", value: value)))
        #expect(author.address.folded == "news@quizzler.example")
        #expect(author.phrase == phrase)
    }

    @Test(
        "whatever could be read as somebody else is not read",
        arguments: [
            "", " ", "Quizzler", "Quizzler <>", "news@quizzler.example, x@y.example",
            "Quizzler <news@quizzler.example>, <x@y.example>", "<x@y.example> <news@quizzler.example>",
            "x@y.example <news@quizzler.example", "x@y.example> <news@quizzler.example>", "<<news@quizzler.example>>",
            "<news@quizzler.example> x@y.example", "team: news@quizzler.example;", "<@x.example:news@quizzler.example>",
            "\"Quizzler <news@quizzler.example>", "Quizzler (x <news@quizzler.example>", "x) <news@quizzler.example>",
            "<news@quizzler.example\u{0}>", "<news @quizzler.example>", "news@quizzler.example\\",
        ])
    func other(_ value: String) {
        #expect(Author(HeaderField(name: "From", value: value)) == nil)
    }

    @Test("any bytes are read to the end, and never to two addresses")
    func fuzz() {
        var generator = SeededGenerator(seed: 3)
        let pieces = [
            "<", ">", "\"", "\\", "(", ")", ",", ";", ":", " ", "\r\n ", "a@b.example", "x", "é", "\u{0}", "@",
        ]
        for _ in 0..<20_000 {
            let value = (0..<Int.random(in: 0...14, using: &generator))
                .map { _ in pieces.randomElement(using: &generator)! }.joined()
            guard let author = Author(HeaderField(name: "From", value: value)) else { continue }
            #expect(value.contains(author.address.localPart))
            #expect(author.address.text.split(separator: "@").count == 2)
        }
    }
}
