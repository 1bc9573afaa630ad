import Testing
@testable import ServerHTTP
@testable import TestServers

@Suite struct LocalPathTests {
    @Test(
        "what leads to another site becomes the start page",
        arguments: [
            nil, "", "//evil.example", "///evil.example", "/\\evil.example", "\\/evil.example", "https://evil.example/",
            "https:evil.example", "javascript:alert(1)", "evil.example", "?x", "#x", " /x", "/ x", "/\t/evil.example",
            "/\n/evil.example", "/\u{7f}", "/é", "/" + String(repeating: "x", count: 2_048),
        ])
    func refused(_ text: String?) {
        #expect(LocalPath(text).text == "/")
    }

    @Test(
        "paths of our own stay",
        arguments: ["/", "/connect/abc", "/change-password?continue=%2F", "/a//b", "/a?b=https://c"])
    func local(_ text: String) {
        #expect(LocalPath(text).text == text)
    }
}
