import HTTPTypes
import Testing
@testable import ServerHTTP
@testable import TestServers

@Suite struct CookieTests {
    private func cookie(_ headers: String...) -> String? {
        var fields = HTTPFields()
        fields[values: .cookie] = headers
        return fields.cookie("a")
    }

    @Test(
        "a cookie is found by its whole name, wherever it stands",
        arguments: ["a=1", "b=2; a=1", "a=1;b=2", "\t a=1 \t; b", "A=2; a=1; aa=3; b=a=4", ";;a=1;", "a =2; a=1"])
    func found(_ header: String) {
        #expect(cookie(header) == "1")
    }

    @Test("a value may be empty, and may hold what looks like another cookie")
    func values() {
        #expect(cookie("a=") == "")
        #expect(cookie("a=b=c") == "b=c")
        #expect(cookie("b=2", "a=1") == "1")
    }

    @Test(
        "a name that differs by any byte is another",
        arguments: [
            "", "a", "b=1", "A=1", "\u{2000}a=1", "\u{a0}a=1", "a\u{301}=1", "a\u{200b}=1", "a =1", "=a=1",
        ])
    func absent(_ header: String) {
        #expect(cookie(header) == nil)
    }

    @Test("of two with one name neither is taken")
    func twice() {
        #expect(cookie("a=1; a=2") == nil)
        #expect(cookie("a=1; a=1") == nil)
        #expect(cookie("a=1", "a=2") == nil)
    }
}
