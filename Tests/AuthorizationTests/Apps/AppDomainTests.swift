import Authorization
import Testing

@Suite struct AppDomainTests {
    @Test(
        "a host is taken in lower case, with A-labels and without a final dot",
        arguments: [
            ("quizzler.example", "quizzler.example"), ("WWW.Quizzler.Example", "www.quizzler.example"),
            ("quizzler.example.", "quizzler.example"), ("bücher.example", "xn--bcher-kva.example"),
            ("クイズラー.example", "xn--eckva8a6mod.example"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ])
    func accepted(_ text: String, _ name: String) throws {
        #expect(try AppDomain(text).name == name)
    }

    @Test(
        "what is no host is refused, with what to do",
        arguments: [
            ("", "write a host such as"), ("quizzler", "write a host such as"), (".example", "write a host such as"),
            ("quizzler..example", "write a host such as"), ("-quizzler.example", "write a host such as"),
            ("quizzler_1.example", "write a host such as"), ("quizzler.example;x", "write a host such as"),
            ("https://quizzler.example", "write the host alone"), ("quizzler.example/callback", "write the host alone"),
            ("bücher.example/x", "write the host alone"), ("quizzler.example:8443", "write the host alone"),
            ("robin@quizzler.example", "write the host alone"), ("quiz zler.example", "write the host alone"),
            ("quizzler.example\nrival.example", "write the host alone"), ("[2001:db8::1]", "write the host alone"),
            ("quizzler%2eexample", "write the host alone"), ("bücher.example\\x", "write the host alone"),
            ("*.quizzler.example", "name each subdomain"), ("*", "name each subdomain"),
            ("192.0.2.1", "not an IP address"), ("0x7f000001.0x1", "not an IP address"),
            ("192.0.2.0X1", "not an IP address"),
            ("localhost", "this machine itself"), ("app.localhost", "this machine itself"),
            ("127.0.0.1", "this machine itself"),
            (String(repeating: "x", count: 500), "longer than 253"),
            (String(repeating: "あ", count: 500), "longer than 253"),
            (String(repeating: "quizzler.", count: 28) + "example", "longer than 253"),
        ])
    func refused(_ text: String, _ reason: String) {
        let problem = #expect(throws: AppDomain.Problem.self) { try AppDomain(text) }
        #expect(problem?.description.contains(reason) == true, "\(problem?.description ?? "")")
        #expect((problem?.description.count ?? 0) < 200)
    }
}
