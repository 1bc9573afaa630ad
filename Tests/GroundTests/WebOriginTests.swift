import Fixtures
import Foundation
import Ground
import SeededNumbers
import Testing

@Suite struct WebOriginTests {
    @Test(
        "an origin is written as browsers write it",
        arguments: [
            ("HTTPS://Acme.test:443/a", "https://acme.test"), ("https://acme.test.:8443", "https://acme.test:8443"),
            ("http://[::1]:8080/", "http://[::1]:8080"), ("http://[::1]/", "http://[::1]"),
            ("http://[FE80::A]:80", "http://[fe80::a]"), ("https://acme.test:/", "https://acme.test"),
            ("https://acme.test:080?a@b", "https://acme.test:80"), ("http://acme.test:443#", "http://acme.test:443"),
            ("https://user:word@acme.test/", "https://acme.test"), ("https://a@b@acme.test", "https://acme.test"),
            ("https://[@acme.test:8443/", "https://acme.test:8443"), ("https://a_b.test", "https://a_b.test"),
            ("https://bücher.test/", "https://xn--bcher-kva.test"), ("https://127.1/", "https://127.1"),
        ])
    func written(url: String, text: String) {
        #expect(WebOrigin(of: url)?.description == text)
    }

    @Test(
        "what is no URL of the web, or read differently by others, has none",
        arguments: [
            "", "https", "https:", "https:/", "https://", "https:///a", "https://:443/", "ftp://acme.test/",
            "//acme.test/",
            "acme.test", "httpss://acme.test/", " https://acme.test/", "https:acme.test", "https:/acme.test",
            "app.acme://acme.test/", "mailto:a@acme.test", "https://user@/", "https://acme.test\\@other.test/",
            "https://acme.test\\/", "https:\\\\acme.test/", "https://acme .test/", "https://acme\t.test/",
            "https://acme\n.test/", "https://acme\u{7f}.test/", "https://%61cme.test/", "https://acme.test%2f/",
            "https://acme%00.test/", "https://.acme.test/", "https://./", "https://acme.test:0/",
            "https://acme.test:65536/",
            "https://acme.test:+443/", "https://acme.test:-1/", "https://acme.test: 443/", "https://acme.test:4４3/",
            "https://acme.test:443:443/", "https://acme.test:00443/x:1\\", "https://acme.test:x/", "https://[::1/",
            "https://::1/", "https://[::1]x/", "https://[acme.test]/", "https://[]/", "https://[::1%25eth0]/",
            "https://a[b]c/", "https://acme<.test/", "https://acme|.test/", "https://acme\".test/",
            "https://acme^.test/",
            "https://acme{}.test/", "https://acme`.test/", "https://acme.test／a/",
        ])
    func none(url: String) {
        #expect(WebOrigin(of: url) == nil)
    }

    @Test(
        "what stays on this device is an address of it, and no name that begins like one",
        arguments: [
            ("localhost", true), ("app.localhost", true), ("127.0.0.1", true), ("127.9.9.9", true), ("[::1]", true),
            ("127.acme.test", false), ("127.0.0.acme", false), ("127.0.0.1.acme.test", false), ("127.0.0.256", false),
            ("localhost.acme.test", false), ("128.0.0.1", false),
        ])
    func loopback(host: String, stays: Bool) throws {
        let origin = try #require(WebOrigin(of: "http://\(host)/"))
        #expect(origin.isLoopback == stays && origin.isSafeForSecrets == stays)
        #expect(try #require(WebOrigin(of: "https://\(host)/")).isSafeForSecrets)
    }

    @Test("outside of URLs an IPv6 address has no brackets")
    func hostName() {
        #expect(WebOrigin(of: "http://[::1]:8080/")?.hostName == "::1")
        #expect(WebOrigin(of: "http://Acme.test/")?.hostName == "acme.test")
    }

    // MARK: Properties of all origins

    private static let hosts = [
        "acme.test", "id.acme.test", "a-b.test", "x", "localhost", "127.0.0.1", "10.1.2.3", "[::1]", "[2001:db8::7]",
        "xn--bcher-kva.test", "a_b.acme.test",
    ]

    @Test("however a URL is spelled, its origin is the same, and another host, port or scheme makes it another")
    func spellings() throws {
        var generator = SeededGenerator(seed: 2)
        func some(_ texts: String...) -> String { texts.randomElement(using: &generator) ?? "" }
        func anyCase(_ text: String) -> String {
            String(text.map { Bool.random(using: &generator) ? Character($0.uppercased()) : $0 })
        }
        for _ in 0..<5_000 {
            let scheme = some("http", "https")
            let host = Self.hosts.randomElement(using: &generator) ?? ""
            let own = scheme == "https" ? 443 : 80
            let port = Bool.random(using: &generator) ? own : Int.random(in: 1...65_535, using: &generator)
            let origin = try #require(WebOrigin(of: "\(scheme)://\(host):\(port)"))
            #expect((origin.scheme, origin.host, origin.port) == (scheme, host, port))
            #expect(WebOrigin(of: origin.description) == origin)

            let dot = host.hasSuffix("]") ? "" : some("", ".")
            let colon =
                port == own ? some("", ":", ":\(port)") : some(":\(port)", port < 10_000 ? ":0\(port)" : ":\(port)")
            let spelled =
                anyCase(scheme) + "://" + some("", "user@", "u:p@", "acme.test:1@", "[@", "%40@") + anyCase(host) + dot
                + colon
                + some("", "/", "/a/../..//b?c#d", "?https://other.test/", "#@other.test", "/@other.test:1/")
            #expect(WebOrigin(of: spelled) == origin, "\(spelled)")

            for other in [
                "\(scheme == "http" ? "https" : "http")://\(host):\(port)", "\(scheme)://\(host):\(port % 65_535 + 1)",
                "\(scheme)://a\(host):\(port)", "\(scheme)://\(host)a:\(port)", "\(scheme)://sub.\(host):\(port)",
                "\(scheme)://\(host)@other.test:\(port)",
            ] {
                #expect(WebOrigin(of: other) != origin, "\(other)")
            }
        }
    }

    @Test("what is taken, Foundation takes for the same host and port")
    func agrees() {
        var generator = SeededGenerator(seed: 3)
        let pieces = [
            "http://", "https://", "HTTPS://", "acme", ".test", "other", ".", "..", ":", ":8443", ":80", "@", "/", "//",
            "\\", "?",
            "#", "[", "]", "[::1]", "%", "%2f", "%40", "%00", " ", "\t", "\n", "ü", "ß", "\u{ff0f}", "\u{2024}",
            "\u{0}", "|", "<",
            "\"", "'", ";", "&", "=", "~", "_", "-", "1", "127.0.0.1", "0x7f", "xn--",
        ]
        var taken = 0
        for _ in 0..<50_000 {
            var url = ["http://", "https://"].randomElement(using: &generator) ?? ""
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                url += pieces.randomElement(using: &generator) ?? ""
            }
            guard let origin = WebOrigin(of: url), let parts = URLComponents(string: url) else { continue }
            taken += 1
            let host = parts.encodedHost?.lowercased() ?? ""
            #expect(origin.host == (host.hasSuffix(".") ? String(host.dropLast()) : host), "\(url)")
            #expect(origin.port == parts.port ?? (origin.isSecure ? 443 : 80), "\(url)")
            #expect(origin.scheme == parts.scheme?.lowercased(), "\(url)")
        }
        #expect(taken > 1_000)
    }
}
