@testable import AssociationFiles
import Testing

@Suite struct HTTPSProxyTests {
    private func proxy(_ environment: [String: String], for host: String = "id.acme.test") throws -> String? {
        try HTTPSProxy.proxy(for: host, in: environment).map { proxy in
            let account = proxy.account.map { "\($0.name):\($0.password)@" } ?? ""
            return "\(account)\(proxy.host):\(proxy.port)"
        }
    }

    @Test func `small letters count more than capitals, and a proxy for HTTPS more than one for all`() throws {
        #expect(try proxy([:]) == nil && proxy(["https_proxy": "", "http_proxy": "http://other:1"]) == nil)
        let all = [
            "https_proxy": "http://a:1", "HTTPS_PROXY": "http://b:2", "all_proxy": "http://c:3",
            "ALL_PROXY": "http://d:4",
        ]
        #expect(try proxy(all) == "a:1")
        #expect(try proxy(all.filter { $0.key != "https_proxy" }) == "b:2")
        #expect(try proxy(["all_proxy": "http://c:3", "ALL_PROXY": "http://d:4"]) == "c:3")
        #expect(try proxy(["ALL_PROXY": "http://d:4"]) == "d:4")
    }

    @Test(arguments: [
        ("proxy.school.test:3128", "proxy.school.test:3128"), ("http://proxy", "proxy:1080"),
        ("HTTP://proxy:80/", "proxy:80"),
        ("http://mika:a%40b@proxy:3128", "mika:a@b@proxy:3128"), ("http://mika@proxy:3128", "mika:@proxy:3128"),
    ])
    func `its address may have a scheme, a name and a password`(text: String, expected: String) throws {
        #expect(try proxy(["https_proxy": text]) == expected)
    }

    @Test(arguments: ["socks5://proxy:1080", "https://mika:geheim@proxy:1", "http://", "http://mika:geheim@", "a b"])
    func `what cannot be used is told without a password`(text: String) {
        let error = #expect(throws: HTTPSProxy.Unusable.self) { try proxy(["https_proxy": text]) }
        #expect(
            error?.description.hasPrefix("https_proxy names ") == true && error?.description.contains("geheim") == false
        )
    }

    @Test(arguments: [
        ("acme.test", true), (".acme.test", true), ("other.test, ID.ACME.TEST", true), ("*", true),
        ("other.test acme.test", true),
        ("cme.test", false), ("id", false), ("x.id.acme.test", false), ("", false), (",", false),
        ("*.other.test", false),
    ])
    func `no_proxy excepts a host and all that are below it`(exceptions: String, isDirect: Bool) throws {
        for name in ["no_proxy", "NO_PROXY"] {
            #expect((try proxy(["https_proxy": "http://a:1", name: exceptions]) == nil) == isDirect)
        }
    }

    @Test func `an exception counts before what is wrong with the proxy`() throws {
        #expect(try proxy(["https_proxy": "socks5://a", "no_proxy": "acme.test"]) == nil)
    }
}
