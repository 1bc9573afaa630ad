import Fixtures
import Foundation
import Mail
import SeededNumbers
import Testing

@Suite struct MailMessageTests {
    private static let sender = Mailbox(name: "Maple District", address: try! MailAddress("id@maple.example"))

    private func render(subject: String = "Hello", text: String = "Text", language: String = "en") throws -> String {
        try MailMessage(
            to: try MailAddress("maria@home.example"), subject: subject, text: text, language: language
        ).rendered(from: Self.sender, messageID: "abc@maple.example", date: FixedSurroundings.start)
    }

    @Test("a mail is exactly this")
    func whole() throws {
        let mail = try render(
            subject: "Il tuo codice è 123456", text: "Ciao,\nil codice è 123456.\r\n\r\n.\nA=B \n", language: "it")
        #expect(
            mail
                == [
                    "From: Maple District <id@maple.example>",
                    "To: <maria@home.example>",
                    "Subject: =?UTF-8?B?SWwgdHVvIGNvZGljZSDDqCAxMjM0NTY=?=",
                    "Date: Tue, 01 Sep 2026 08:00:00 +0000",
                    "Message-ID: <abc@maple.example>",
                    "Auto-Submitted: auto-generated",
                    "MIME-Version: 1.0",
                    "Content-Type: text/plain; charset=utf-8",
                    "Content-Language: it",
                    "Content-Transfer-Encoding: quoted-printable",
                    "",
                    "Ciao,",
                    "il codice =C3=A8 123456.",
                    "",
                    ".",
                    "A=3DB=20",
                    "",
                ].joined(separator: "\r\n"))
    }

    @Test("whatever a subject holds, it stays one header that decodes to it")
    func subjects() throws {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "a", " ", "=?", "?=", "é", "日本", "한국어", "🧑‍🧑‍🧒", "\r\n", "\nBcc: x@y.example", "\r", "\u{0}", "\u{2028}",
            "\\\"", ",",
            "words", ":", "\t",
        ]
        for _ in 0..<500 {
            let subject = (0..<Int.random(in: 0...40, using: &generator))
                .map { _ in pieces.randomElement(using: &generator)! }.joined()
            let mail = try render(subject: subject)
            let head = try #require(mail.split(separator: "\r\n\r\n", maxSplits: 1).first)
            #expect(mail.utf8.allSatisfy { $0 == 10 || $0 == 13 || (0x20...0x7e).contains($0) })
            #expect(head.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 76 })
            // A line that does not begin with a blank is a header of its own.
            let names = head.split(separator: "\r\n").filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
            #expect(
                names == [
                    "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
                    "Content-Language", "Content-Transfer-Encoding",
                ])
            #expect(try decodedSubject(of: mail) == Self.visible(subject))
        }
    }

    private static func visible(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f || $0.value == 0x2028 ? " " : $0 }))
    }

    private func decodedSubject(of mail: String) throws -> String {
        let start = try #require(mail.range(of: "\r\nSubject: ")?.upperBound)
        let end = try #require(mail.range(of: "\r\nDate: ")?.lowerBound)
        let value = mail[start..<end]
        guard value.hasPrefix("=?") else { return String(value) }
        var bytes = Data()
        for word in value.replacingOccurrences(of: "\r\n", with: "").split(separator: " ") {
            #expect(word.hasPrefix("=?UTF-8?B?") && word.hasSuffix("?=") && word.count <= 75)
            let piece = try #require(Data(base64Encoded: String(word.dropFirst(10).dropLast(2))))
            #expect(String(data: piece, encoding: .utf8) != nil)  // no character is torn apart
            bytes += piece
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("whatever a text holds, its lines are short and decode to it")
    func texts() throws {
        var generator = SeededGenerator(seed: 8)
        let pieces = [
            "a", " ", "=", "\t", "é", "日本", "\n", ".", "From ", String(repeating: "x", count: 80), "\u{0}", "~",
        ]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...60, using: &generator))
                .map { _ in pieces.randomElement(using: &generator)! }.joined()
            let mail = try render(text: text)
            let body = try #require(mail.range(of: "\r\n\r\n").map { mail[$0.upperBound...] })
            #expect(
                body.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 76 && $0.last != " " && $0.last != "\t" })
            #expect(body.utf8.allSatisfy { $0 == 9 || $0 == 10 || $0 == 13 || (0x20...0x7e).contains($0) })
            let expected = text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
            #expect(decodeQuotedPrintable(String(body)) == expected)
        }
    }

    private func decodeQuotedPrintable(_ text: String) -> String {
        let joined = Array(
            text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "\r\n", with: "\n").utf8)
        var bytes: [UInt8] = []
        var index = 0
        while index < joined.count {
            if joined[index] == UInt8(ascii: "="), index + 2 < joined.count {
                bytes.append(UInt8(String(decoding: joined[index + 1...index + 2], as: UTF8.self), radix: 16)!)
                index += 3
            } else {
                bytes.append(joined[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("what is too long, or no language, is refused")
    func refused() {
        #expect(throws: MailMessage.Problem.tooLong) { try render(text: String(repeating: "x", count: 65 * 1_024)) }
        #expect(throws: MailMessage.Problem.tooLong) { try render(subject: String(repeating: "x", count: 999)) }
        #expect(throws: MailMessage.Problem.noLanguage("en\r\nBcc: x")) { try render(language: "en\r\nBcc: x") }
    }
}
