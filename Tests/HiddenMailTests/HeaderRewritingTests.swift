import Fixtures
import HiddenMail
import Mail
import SeededNumbers
import Testing

@Suite struct HeaderRewritingTests {
    /// As a mail server makes the changes: by name in any case, counting from 1, one after the other.
    private func apply(_ rewriting: HeaderRewriting, to headers: [HeaderField]) -> [HeaderField] {
        var headers = headers
        func position(_ name: String, _ index: Int) -> Int? {
            headers.indices.filter { headers[$0].name.lowercased() == name.lowercased() }.dropFirst(index - 1).first
        }
        for change in rewriting.changes {
            switch change {
            case .delete(let name, let index): position(name, index).map { _ = headers.remove(at: $0) }
            case .replace(let name, let index, let value):
                position(name, index).map { headers[$0] = HeaderField(name: name, value: value) }
            case .append(let name, let value): headers.append(HeaderField(name: name, value: value))
            }
        }
        return headers
    }

    @Test("whatever headers there are, an app gets the few that a mail needs, and none of the person's")
    func toApp() throws {
        var generator = SeededGenerator(seed: 5)
        let names = [
            "From", "from", "To", "TO", "Cc", "Reply-To", "Sender", "Received", "Message-ID", "References",
            "In-Reply-To", "Subject", "Date", "X-Mailer", "DKIM-Signature", "Content-Type", "X-Lanyard-Relay", "Bcc",
        ]
        for _ in 0..<500 {
            let headers = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
                let name = names.randomElement(using: &generator)!
                let isPlain = ["Subject", "Date", "Content-Type"].contains(name)
                return HeaderField(name: name, value: isPlain ? "x" : "<maria@home.example>")
            }
            let rewriting = HeaderRewriting(
                toApp: headers, from: try MailAddress("k3@relay.example"), to: try MailAddress("a@quizzler.example"),
                messageID: "<1@relay.example>", personDomain: "home.example", domain: "relay.example")
            let result = apply(rewriting, to: headers)
            #expect(!result.contains { $0.value.contains("home.example") })
            for (name, value) in [("from", "<k3@relay.example>"), ("to", "<a@quizzler.example>")] {
                #expect(result.filter { $0.isNamed(name) }.map(\.value) == [value])
            }
            #expect(result.last == HeaderField(name: "X-Lanyard-Relay", value: "relay.example"))
        }
    }

    @Test("what belongs to a mail stays in it")
    func kept() throws {
        let kept = ["Subject", "Date", "Content-Type", "MIME-Version", "List-Id", "Received", "Message-ID"]
            .map { HeaderField(name: $0, value: "x") }
        let rewriting = HeaderRewriting(
            toPerson: kept, from: "N <n@relay.example>", replyTo: nil, to: try MailAddress("k3@relay.example"),
            domain: "relay.example")
        #expect(
            rewriting.changes == [
                .append(name: "From", value: "N <n@relay.example>"), .append(name: "To", value: "<k3@relay.example>"),
                .append(name: "X-Lanyard-Relay", value: "relay.example"),
            ])
    }
}
