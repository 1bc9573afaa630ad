import Foundation
import Ground
import SingleSignOnWire
@testable import OpenIDExtension
import Testing
import WebClient

@Suite struct WebSessionTests {
    @Test func `the provider is the request's origin and the hosts of the profile`() throws {
        let boundary = ProviderBoundary(
            [try #require(URL(string: "https://ID.acme.test/authorize"))],
            hosts: ["login.other.test", ".fed.test", "odd.test:8443"].compactMap(ProviderHost.init))
        for (url, belongs) in [
            ("https://id.acme.test/x", true), ("https://id.acme.test:443/x", true),
            ("https://id.acme.test:8443/", false),
            ("http://id.acme.test/x", false), ("https://www.id.acme.test/", false),
            ("https://login.other.test/", true), ("https://a.login.other.test/", false),
            ("https://a.b.fed.test/", true), ("https://fed.test/", false), ("https://evilfed.test/", false),
            ("https://odd.test:8443/", true), ("https://odd.test/", false), ("http://login.other.test/", false),
            ("https://id.acme.test@evil.test/", false), ("javascript:alert(1)", false),
        ] {
            #expect(boundary.contains(try #require(URL(string: url))) == belongs, "\(url)")
        }
    }

    @Test func `the cookies of the provider are those that its hosts get, at any port`() throws {
        let boundary = ProviderBoundary(
            [try #require(URL(string: "https://id.acme.test:444/authorize"))],
            hosts: ["login.other.test:8443", ".fed.test"].compactMap(ProviderHost.init))
        for (domain, receives) in [
            ("id.acme.test", true), ("acme.test", true), ("www.acme.test", false), ("cme.test", false),
            ("login.other.test", true), ("other.test", true), ("www.other.test", false),
            ("fed.test", true), ("a.fed.test", true), ("evilfed.test", false),
        ] {
            #expect(boundary.receivesCookies(of: domain) == receives, "\(domain)")
        }
    }

    @Test func `a host of the provider is a name, perhaps with a port`() {
        for text in ["a.test", ".a.test", "A.test:8443", "127.0.0.1:1", "[::1]:1", "[::1]", "::1"] {
            #expect(ProviderHost(text) != nil, "\(text)")
        }
        for text in [
            "", ".", "https://a.test", "a.test/", "a.test:", "a.test:x", "a.test:0", "a.test:65536", " a.test",
        ] {
            #expect(ProviderHost(text) == nil, "\(text)")
        }
    }

    @Test func `a host is the same with a root dot and without`() throws {
        for (name, url) in [
            ("login.acme.test.", "https://login.acme.test/"), ("login.acme.test", "https://login.acme.test./"),
            (".acme.test.", "https://login.acme.test./"), ("Login.acme.test.:8443", "https://login.acme.test:8443/"),
        ] {
            #expect(try #require(ProviderHost(name)).contains(try #require(URL(string: url))), "\(name) \(url)")
        }
    }

    @Test func `plain HTTP is for this machine alone`() throws {
        for (url, isSafe) in [
            ("https://a.test/", true), ("http://a.test/", false), ("http://127.0.0.1:80/", true),
            ("http://localhost:1/", true), ("http://[::1]:1/", true), ("http://127.0.0.1.evil.test/", false),
            ("ftp://127.0.0.1/", false),
        ] {
            #expect(try #require(URL(string: url)).isSafe == isSafe, "\(url)")
        }
    }

    @Test func `a form that is handed back carries its values as they were`() throws {
        let page = SelfPostingPage(
            action: try #require(URL(string: "https://sp.test/acs?a=1&b=2")),
            fields: [
                FormField("SAMLResponse", "a+/="), FormField("x\"><script>", "</form>&amp;\r\n'"),
                FormField("submit", ""),
            ])
        let body = try #require(page.body)
        let reply = HTTPReply(status: 200, headers: [], body: body)
        let url = try #require(URL(string: "https://id.acme.test/"))
        guard
            case .selfPosting(let form) = SignInPage(reply, from: url, isProvider: { $0.host() == "id.acme.test" })?
                .meaning
        else {
            Issue.record("it does not post itself")
            return
        }
        #expect(form.fixedFields == page.fields)
        #expect(form.action == page.action)
    }

    @Test func `a form that is too large is not handed back`() throws {
        let url = try #require(URL(string: "https://sp.test/"))
        #expect(
            SelfPostingPage(action: url, fields: [FormField("a", String(repeating: "a", count: 131_072))]).body == nil)
        #expect(
            SelfPostingPage(action: url, fields: [FormField("a", String(repeating: "a", count: 120_000))]).body != nil)
    }

    @Test func `one key does not wait for another`() async throws {
        let gate = Gate<String>(width: 1)
        let (steps, note) = AsyncStream.makeStream(of: String.self)
        let (end, hang) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await gate.pass("slow") {
                    note.yield("first")
                    for await _ in end {}
                }
            }
            var seen = steps.makeAsyncIterator()
            #expect(await seen.next() == "first")
            group.addTask { await gate.pass("slow") { _ = note.yield("second") } }
            await gate.pass("quick") { _ = note.yield("other") }
            #expect(await seen.next() == "other")
            hang.finish()
            #expect(await seen.next() == "second")
            await group.waitForAll()
        }
    }

    @Test func `an error of a silent request is nobody's answer`() throws {
        for (answer, needs) in [
            ("error=login_required&state=s", true), ("error=prompt_not_supported&state=s", true),
            ("code=1&state=s", false),
        ] {
            let url = try #require(URL(string: "https://app.test/callback?\(answer)"))
            #expect(SilentRequest.needsPerson(.left(url)) == needs, "\(answer)")
        }
    }

    @Test func `a silent request is the same one with the wish not to ask`() throws {
        let asking = "https://id.test/a?client_id=x&response_type=code&scope=openid%20profile&state=s"
        #expect(SilentRequest.url(of: try #require(URL(string: asking)))?.absoluteString == asking + "&prompt=none")
        for other in [
            "https://id.test/a?client_id=x&response_type=code&scope=profile", asking + "&prompt=login",
            asking + "&request=e30", "https://id.test/saml?SAMLRequest=x",
        ] {
            #expect(SilentRequest.url(of: try #require(URL(string: other))) == nil, "\(other)")
        }
    }
}
