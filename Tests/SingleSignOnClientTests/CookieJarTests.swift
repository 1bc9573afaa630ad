import Foundation
import Synchronization
import Testing

@testable import SingleSignOnClient

@Suite struct CookieJarTests {
    private let page = URL(string: "https://app.acme.test/a/b?x")!

    @Test func `a cookie goes back to its origin and nowhere else, whatever domain it names`() {
        let jar = CookieJar()
        jar.store(["s=1; Domain=acme.test; Path=/", "t=2; Domain=evil.test"], from: page)
        #expect(jar.header(for: page) == "t=2; s=1")
        for other in [
            "http://app.acme.test/a/b", "https://app.acme.test:8443/a/b", "https://acme.test/", "https://b.acme.test/",
            "https://evil.test/",
        ] {
            #expect(jar.header(for: URL(string: other)!) == nil)
        }
        #expect(jar.header(for: URL(string: "HTTPS://APP.acme.test:443/a/b")!) == "t=2; s=1")
    }

    @Test func `paths, replacing and removing are as browsers have them`() {
        let jar = CookieJar()
        jar.store(["root=1; Path=/", "here=2", "deep=3; path=/a/b/c", "root=4; Path=/"], from: page)
        #expect(jar.header(for: page) == "here=2; root=4")
        #expect(jar.header(for: URL(string: "https://app.acme.test/ab")!) == "root=4")
        #expect(jar.header(for: URL(string: "https://app.acme.test/a/b/c/d")!) == "deep=3; here=2; root=4")
        jar.store(["here=; Max-Age=0"], from: page)
        #expect(jar.header(for: page) == "root=4")
    }

    @Test func `what has expired is not sent, and what wants TLS is not taken without it`() {
        let time = Mutex(Date(timeIntervalSince1970: 1_000_000_000))
        let jar = CookieJar(now: { time.withLock { $0 } })
        jar.store(["short=1; Max-Age=60; Path=/", "long=2; Path=/"], from: page)
        time.withLock { $0 += 61 }
        #expect(jar.header(for: page) == "long=2")
        #expect(jar.all.map(\.name) == ["long"])
        let plain = URL(string: "http://app.acme.test/")!
        jar.store(["s=1; Secure"], from: plain)
        #expect(jar.header(for: plain) == nil)
    }

    @Test func `one origin cannot fill the jar`() {
        let jar = CookieJar()
        for number in 0..<1000 { jar.store(["c\(number)=1; Path=/"], from: page) }
        #expect(jar.all.count == 180)
    }
}
