import Mail
import Testing

@Suite struct MailAddressTests {
    @Test(
        "ordinary addresses are taken, with the domain in lower case",
        arguments: [
            ("maria@home.example", "maria", "home.example"),
            ("Maria.Ruiz+quiz@Home.Example", "Maria.Ruiz+quiz", "home.example"),
            ("o'neil=x@a-b.xn--bcher-kva.example", "o'neil=x", "a-b.xn--bcher-kva.example"),
        ])
    func good(_ text: String, localPart: String, domain: String) throws {
        let address = try MailAddress(text)
        #expect(address.localPart == localPart)
        #expect(address.domain == domain)
    }

    @Test(
        "what two programs could read differently is refused",
        arguments: [
            "", "@", "maria", "maria@", "@home.example", "maria@home", "maria@@home.example", "a@b@home.example",
            "maria@home.example\r\nBcc: all@home.example", "maria @home.example", "maria@home.example ",
            "<maria@home.example>", "\"maria ruiz\"@home.example", "maria@[192.0.2.1]", ".maria@home.example",
            "maria.@home.example", "ma..ria@home.example", "maria@-home.example", "maria@home..example",
            "maria@home.example.", "mar\u{0}ia@home.example", "müller@home.example", "maria@hömé.example",
            "maria,ana@home.example", "maria(x)@home.example", "maria@home_x.example",
            String(repeating: "a", count: 65) + "@home.example",
            "a@" + String(repeating: "a", count: 64) + ".example",
            "a@" + String(repeating: "abc.", count: 65) + "example",
        ])
    func bad(_ text: String) {
        #expect(throws: MailAddress.Problem.self) { try MailAddress(text) }
    }

    @Test("a mailbox is an address with or without a name")
    func mailboxes() throws {
        let address = try MailAddress("id@maple.example")
        #expect(try Mailbox("id@maple.example") == Mailbox(name: nil, address: address))
        #expect(try Mailbox("Maple District <id@maple.example>") == Mailbox(name: "Maple District", address: address))
        #expect(try Mailbox("\"Maple, Ltd.\" <id@maple.example>") == Mailbox(name: "Maple, Ltd.", address: address))
        #expect(throws: MailAddress.Problem.self) { try Mailbox("Maple <id@maple.example") }
        #expect(Mailbox(name: "Maple District", address: address).headerText == "Maple District <id@maple.example>")
        #expect(Mailbox(name: "Maple, \"L\"", address: address).headerText == #""Maple, \"L\"" <id@maple.example>"#)
        #expect(
            Mailbox(name: "桃", address: address).headerText == "=?UTF-8?B?5qGD?= <id@maple.example>")
        #expect(Mailbox(name: "x\r\nBcc: y", address: address).headerText.contains("\r\n") == false)
    }
}
