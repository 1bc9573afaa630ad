import Fixtures
import Ground
import SeededNumbers
import Testing

@Suite struct WebURLTests {
    @Test(
        "dot segments are resolved as Chromium resolves them, and the rest of the path stays as it is",
        arguments: [
            ("", "/"), ("/", "/"), ("/a", "/a"), ("/a/", "/a/"), ("//", "//"), ("/a//b", "/a//b"),
            ("/.", "/"), ("/..", "/"), ("/./", "/"), ("/../", "/"), ("/../../a", "/a"), ("/a/.", "/a/"),
            ("/a/..", "/"), ("/a/../", "/"), ("/a/b/..", "/a/"), ("/a/b/../c", "/a/c"), ("/a/./b", "/a/b"),
            ("/a//../b", "/a/b"), ("/a/b/../../../c", "/c"),
            // An escaped dot is a dot here, in either case.
            ("/a/%2e", "/a/"), ("/a/%2E%2e/b", "/b"), ("/a/.%2e/b", "/b"), ("/a/%2e./b", "/b"),
            // These are names.
            ("/a/...", "/a/..."), ("/a/.b", "/a/.b"), ("/a/b.", "/a/b."), ("/a/..b", "/a/..b"),
            ("/a/%2e%2e%2e", "/a/%2e%2e%2e"),
            ("/a/%252e%252e/b", "/a/%252e%252e/b"), ("/a/..;/b", "/a/..;/b"), ("/a/%2f../b", "/a/%2f../b"),
            ("/A%c3%bc/%C3%BC", "/A%c3%bc/%C3%BC"), ("/ü", "/ü"), ("/a:b@c", "/a:b@c"),
        ])
    func paths(path: String, resolved: String) throws {
        for end in ["", "?a/../b", "#a/../b", "?#", "#?"] {
            let url = try WebURL("https://acme.test\(path)\(end)")
            #expect(url.path == resolved)
            #expect(url.text == "https://acme.test\(resolved)")
        }
    }

    @Test("who may read it differently gets no answer, and is told why")
    func refused() {
        for (text, problem) in [
            ("", .notWeb), ("ftp://acme.test/", .notWeb), ("acme.test", .notWeb), ("httpx://acme.test", .notWeb),
            ("https:", .malformed), ("https:/acme.test", .malformed), ("https:\\\\acme.test", .malformed),
            ("https://", .noHost), ("https:///a", .noHost), ("https://user@/a", .noHost), ("https://:1/", .noHost),
            ("https://acme.test\\@other.test/", .malformed), ("https://acme.test/a\\b", .malformed),
            ("https://acme.test/a b", .malformed), ("https://acme.test/a\nb", .malformed),
            ("https://acme.test/\u{7f}", .malformed), ("https://acme.test:65536/", .malformed),
        ] as [(String, WebURL.Problem)] {
            #expect(throws: problem, "\(text)") { try WebURL(text) }
        }
    }

    @Test("what has been normalized stays as it is, has no dot segment, and no segment more than was given")
    func normalized() throws {
        var generator = SeededGenerator(seed: 5)
        let pieces = ["/", "/", ".", "..", "%2e", "%2E", "a", "b", "%41", ";", "ü", "..."]
        for _ in 0..<1_000 {
            var path = "/"
            for _ in 0..<Int.random(in: 0...9, using: &generator) {
                path += pieces.randomElement(using: &generator) ?? ""
            }
            let url = try WebURL("https://acme.test\(path)")
            #expect(url.path.hasPrefix("/"), "\(path)")
            #expect(try WebURL(url.text) == url, "\(path)")
            let segments = url.path.split(separator: "/", omittingEmptySubsequences: false)
            #expect(segments.count <= path.split(separator: "/", omittingEmptySubsequences: false).count, "\(path)")
            for segment in segments {
                let dots = segment.lowercased().replacing("%2e", with: ".")
                #expect(dots != "." && dots != "..", "\(path)")
            }
        }
    }
}
