import Authorization
import Testing

@Suite struct ReturnURLTests {
    @Test(
        "an https address with a domain name is a return URL",
        arguments: [
            "https://quizzler.example/callback", "https://quizzler.example",
            "https://a.b.quizzler.example:8443/x?tenant=7",
            "https://xn--bcher-kva.example/r%C3%BCck",
        ])
    func accepted(_ text: String) throws {
        #expect(try ReturnURL(text, allowingLoopback: false).text == text)
    }

    @Test(
        "anything else is not",
        arguments: [
            "", "quizzler", "/callback", "https://", "https:///callback", "http://quizzler.example/callback",
            "ftp://quizzler.example/",
            "javascript:alert(1)", "quizzler://callback", "https://quizzler.example/#", "https://quizzler.example/#x",
            "https://quizzler/callback", "https://192.0.2.1/callback", "https://[2001:db8::1]/callback",
            "https://192.0.2.1./callback",
            "https://localhost/callback", "https://LOCALHOST/callback", "https://localhost./callback",
            "https://app.localhost/callback",
            "https://127.0.0.1/callback", "https://[::1]/callback", "https://user@quizzler.example/",
            "https://user:pass@quizzler.example/",
            "https://a.example%3Bframe-ancestors%20*%3B.evil.example/", "https://quizzler.example%2F.evil.example/",
            "https://quizzler.example%40evil.example/", "https://quizzler.example%0d%0a.evil.example/",
            "https://quizzler.example;x.example/", "https://*.example/", "https://quizzler.example./",
            "https://127.0.0.0x1/", "https://0x7f000001.0x1/", "https://192.0.2.0X1/",
            "https://quizzler.example:0/", "https://quizzler.example:99999/",
            "https://quizzler.example/a b", "https://quizzler.example/é", "https://quizzler.example/\n",
            "https://quizzler.example/\0",
            // Parameters that an authorization answer has as well.
            "https://quizzler.example/?code=PLANTED", "https://quizzler.example/?tenant=7&state=x",
            "https://quizzler.example/?%65rror=x", "https://quizzler.example/?iss",
            "https://quizzler.example/?user=%7B%7D",
            " https://quizzler.example/", "https://quizzler.example/" + String(repeating: "x", count: 2_048),
        ])
    func refused(_ text: String) {
        #expect(throws: ReturnURL.Problem.self) { try ReturnURL(text, allowingLoopback: false) }
    }

    @Test(
        "a development server also takes http on loopback",
        arguments: [
            "http://localhost/callback", "http://localhost:8090/callback", "http://127.0.0.1:8090/",
            "http://[::1]:8090/",
        ])
    func loopback(_ text: String) throws {
        #expect(try ReturnURL(text, allowingLoopback: true).text == text)
        #expect(throws: ReturnURL.Problem.self) { try ReturnURL(text, allowingLoopback: false) }
    }

    @Test(
        "a native program's address has no parameter of the answer, and a port that there is",
        arguments: [
            "http://127.0.0.1/callback?code=x", "com.example.quizzler:/callback?state=x", "http://127.0.0.1:0/",
            "http://127.0.0.1:65536/", "http://[::1]:99999/callback",
        ])
    func nativeRefused(_ text: String) throws {
        #expect(throws: ReturnURL.Problem.self) { try ReturnURL(native: text) }
        #expect(
            try ReturnURL(native: "http://127.0.0.1:65535/callback?tenant=7").text
                == "http://127.0.0.1:65535/callback?tenant=7")
    }

    @Test(
        "but not http elsewhere",
        arguments: [
            "http://quizzler.example/", "http://126.0.0.1/", "http://localhost.quizzler.example/",
            "http://localhost/#x", "http://user@localhost/",
        ])
    func notLoopback(_ text: String) {
        #expect(throws: ReturnURL.Problem.self) { try ReturnURL(text, allowingLoopback: true) }
    }
}
