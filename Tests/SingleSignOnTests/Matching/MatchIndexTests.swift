import SingleSignOn
import SingleSignOnWire
import Testing

@Suite struct MatchIndexTests {
    private func index(_ urls: String..., matching: MatchIndex.PathMatching = .segment) throws -> MatchIndex {
        MatchIndex(try urls.map { try payload(urls: [$0]) }, pathMatching: matching)
    }

    private func payload(urls: [String] = [], hosts: [String] = [], realm: String? = nil) throws -> SingleSignOnPayload
    {
        let base = urls.isEmpty ? TestProfile.kerberos : TestProfile.redirect
        let change: [String: PropertyListValue?] =
            urls.isEmpty
            ? [
                "Hosts": .array(hosts.map(PropertyListValue.string)), "Realm": realm.map(PropertyListValue.string),
                "ExtensionIdentifier": .string("test.other"), "TeamIdentifier": .string("T"),
            ]
            : ["URLs": .array(urls.map(PropertyListValue.string))]
        let reading = ProfileReading(TestProfile.profile([base.changing(change)]))
        return try #require(reading.profile?.payloads.first, "\(reading.findings)")
    }

    private func match(_ index: MatchIndex, _ url: String) -> String? { index.redirect(for: url)?.entry.text }

    @Test(
        "an app names an identity provider by its issuer, or by a URL above all that a payload covers",
        arguments: [
            // A Lanyard server, as in the profile of `lanyard device profile`.
            ("https://id.acme.test:8443", "staff"), ("https://id.acme.test:8443/", "staff"),
            ("https://id.acme.test:8443/oidc", "staff"), ("HTTPS://ID.acme.test:8443/oidc/?a#b", "staff"),
            ("https://id.acme.test:8443/auth", "staff"),
            // Providers whose authorization endpoint is not below the issuer.
            ("https://login.acme.test/tenant/v2.0", "tenant"), ("https://login.acme.test/tenant/v2.0/", "tenant"),
            ("https://login.acme.test/tenant", "tenant"), ("https://login.acme.test", nil),
            ("https://id.acme.test:8443/oidc/authorize", nil), ("https://id.acme.test:8443/oi", nil),
            ("https://id.acme.test", nil), ("https://id.acme.test:8443/oidc/token", nil),
            ("https://login.acme.test/other/v2.0", "other"), ("https://shared.acme.test/issuer", nil), ("ftp://x", nil),
            ("", nil),
        ])
    func providers(_ url: String, _ name: String?) throws {
        func payload(_ name: String, _ issuer: String?, _ urls: String...) throws -> SingleSignOnPayload {
            let data: [String: PropertyListValue] = issuer.map { ["issuer": .string($0)] } ?? [:]
            let change: [String: PropertyListValue?] = [
                "URLs": .array(urls.map(PropertyListValue.string)), "PayloadUUID": .string(name),
                "PayloadIdentifier": .string(name), "ExtensionData": .dictionary(data),
            ]
            let reading = ProfileReading(TestProfile.profile([TestProfile.redirect.changing(change)]))
            return try #require(reading.profile?.payloads.first, "\(reading.findings)")
        }
        let index = MatchIndex([
            try payload(
                "staff", "https://id.acme.test:8443/oidc", "https://id.acme.test:8443/auth/authorize",
                "https://id.acme.test:8443/oidc/authorize", "https://id.acme.test:8443/auth/oauth2/v2/authorize"),
            try payload("tenant", "https://login.acme.test/tenant/v2.0", "https://login.acme.test/tenant/oauth2/v2.0/"),
            try payload("other", "https://login.acme.test/other/v2.0", "https://login.acme.test/other/oauth2/v2.0/"),
            try payload("one", "https://shared.acme.test/issuer", "https://one.acme.test/"),
            try payload("two", "https://shared.acme.test/issuer", "https://two.acme.test/"),
        ])
        #expect(index.provider(for: url)?.payload.uuid == name)
        if name != nil {
            #expect(index.redirect(for: url) == nil, "no request of the web is for it")
            if case .provider = index.explain(url).outcome {} else { Issue.record("\(index.explain(url))") }
            if case .none = index.explain(url, isChallenge: true).outcome {} else { Issue.record("a challenge") }
        }
    }

    @Test(
        "a URL that begins like the prefix is covered, at the borders of segments",
        arguments: [
            (
                "https://id.acme.test",
                [
                    "https://id.acme.test", "https://id.acme.test/", "https://id.acme.test/a?b#c",
                    "https://id.acme.test?x=1",
                ], ["https://id.acme.test.evil", "https://acme.test/", "https://x.id.acme.test/"]
            ),
            (
                "https://id.acme.test/", ["https://id.acme.test", "https://id.acme.test#a"],
                ["http://id.acme.test/", "https://id.acme.test:8443/"]
            ),
            (
                "https://id.acme.test/realms/acme",
                [
                    "https://id.acme.test/realms/acme", "https://id.acme.test/realms/acme/",
                    "https://id.acme.test/realms/acme/x", "https://id.acme.test/realms/acme?x",
                ],
                [
                    "https://id.acme.test/realms/acme-test", "https://id.acme.test/realms",
                    "https://id.acme.test/realms/ACME",
                ]
            ),
            (
                "https://id.acme.test/realms/acme/",
                ["https://id.acme.test/realms/acme/", "https://id.acme.test/realms/acme/x/y"],
                ["https://id.acme.test/realms/acme", "https://id.acme.test/realms/acme-test/", "https://id.acme.test/"]
            ),
            (
                "https://id.acme.test:8443/a/", ["https://id.acme.test:8443/a/b", "HTTPS://ID.ACME.TEST:8443/a/"],
                ["https://id.acme.test/a/", "https://id.acme.test:443/a/"]
            ),
            (
                "http://id.acme.test:80/",
                ["http://id.acme.test/", "http://id.acme.test:80/a", "http://id.acme.test:/a"],
                ["https://id.acme.test/"]
            ),
            (
                "https://bücher.example/", ["https://xn--bcher-kva.example/a", "https://BÜCHER.example/"],
                ["https://bucher.example/"]
            ),
            (
                "https://[2001:DB8::1]/", ["https://[2001:db8::1]/a", "https://[2001:db8::1]:443/"],
                ["https://[2001:db8::2]/"]
            ),
        ])
    func covers(_ prefix: String, _ covered: [String], _ others: [String]) throws {
        let index = try index(prefix)
        for url in covered { #expect(match(index, url) == prefix, "\(url)") }
        for url in others { #expect(match(index, url) == nil, "\(url)") }
    }

    @Test(
        "another spelling of the same URL is the same URL",
        arguments: [
            "https://id.acme.test/realms/staff/x", "HTTPS://Id.Acme.Test/realms/staff/x",
            "https://id.acme.test:443/realms/staff/x", "https://id.acme.test./realms/staff/x",
            "https://mika:secret@id.acme.test/realms/staff/x", "https://a@b@id.acme.test/realms/staff/x",
            "https://id.acme.test/a/../realms/./staff/x", "https://id.acme.test/a/%2e%2E/realms/staff/x",
            "https://id.acme.test/../../realms/staff/",
        ])
    func spelling(_ url: String) throws {
        #expect(match(try index("https://id.acme.test/realms/staff/"), url) == "https://id.acme.test/realms/staff/")
    }

    @Test(
        "what only looks like it is another URL, or none",
        arguments: [
            "https://id.acme.test/realms/staff/../public/", "https://id.acme.test/realms/staff/%2e%2e/public",
            "https://id.acme.test@evil.test/realms/staff/", "https://evil.test/https://id.acme.test/realms/staff/",
            "https://evil.test\\@id.acme.test/realms/staff/", "https://id.acme.test\\realms\\staff\\",
            "https://id.acme.test/realms%2Fstaff/", "https://id.acme.test/realms/staf%66/",
            "//id.acme.test/realms/staff/",
            "https:id.acme.test/realms/staff/", "https://id.acme.test\t/realms/staff/",
            " https://id.acme.test/realms/staff/",
            "ftp://id.acme.test/realms/staff/", "https://", "https:///realms/staff/", "https://:443/", "",
            "https://%69d.acme.test/realms/staff/",
            "https://id.acme.test:99999/realms/staff/", "https://id.acme.test:+443/realms/staff/", "https://..../",
        ])
    func lookAlikes(_ url: String) throws {
        #expect(match(try index("https://id.acme.test/realms/staff/"), url) == nil)
    }

    @Test("of several prefixes the longest has it, in any order")
    func longest() throws {
        let prefixes = [
            "https://a.test/", "https://a.test/x", "https://a.test/x/", "https://a.test/x/y/z/", "https://a.test/x/y",
        ]
        for prefixes in [prefixes, prefixes.reversed()] {
            let index = MatchIndex(try prefixes.map { try payload(urls: [$0]) })
            for (url, expected) in [
                ("https://a.test", 0), ("https://a.test/w", 0), ("https://a.test/x", 1), ("https://a.test/x/", 2),
                ("https://a.test/x/w", 2), ("https://a.test/x/y", 4), ("https://a.test/x/y/", 4),
                ("https://a.test/x/y/z", 4),
                ("https://a.test/x/y/z/", 3), ("https://a.test/x/y/z/w", 3), ("https://a.test/xy", 0),
            ] {
                let texts = [
                    "https://a.test/", "https://a.test/x", "https://a.test/x/", "https://a.test/x/y/z/",
                    "https://a.test/x/y",
                ]
                #expect(match(index, url) == texts[expected], "\(url)")
            }
        }
    }

    @Test("of two payloads that claim the same, the one that was installed first has it, with its own data")
    func first() throws {
        let one = try payload(urls: ["https://a.test"])
        let other = try payload(urls: ["https://A.test:443/"])
        #expect(MatchIndex([one, other]).redirect(for: "https://a.test/")?.entry.text == "https://a.test")
        #expect(MatchIndex([other, one]).redirect(for: "https://a.test/")?.entry.text == "https://A.test:443/")
    }

    @Test("letter by letter, a prefix covers what only begins alike")
    func letters() throws {
        let index = try index("https://a.test/realms/acme", "https://a.test/", matching: .string)
        #expect(match(index, "https://a.test/realms/acme-test") == "https://a.test/realms/acme")
        #expect(match(index, "https://a.test/realms") == "https://a.test/")
    }

    @Test("a host is compared whole, a suffix with what stands before its dot")
    func hosts() throws {
        let index = MatchIndex([
            try payload(hosts: [".corp.acme.test", "intranet.acme.test", "192.0.2.7", "[2001:db8::1]"]),
            try payload(hosts: [".eu.corp.acme.test", "x.corp.acme.test"]),
        ])
        for (host, expected) in [
            ("intranet.acme.test", "intranet.acme.test"), ("INTRANET.acme.test.", "intranet.acme.test"),
            ("a.corp.acme.test", ".corp.acme.test"), ("a.b.corp.acme.test", ".corp.acme.test"),
            ("x.corp.acme.test", "x.corp.acme.test"), ("y.x.corp.acme.test", ".corp.acme.test"),
            ("a.eu.corp.acme.test", ".eu.corp.acme.test"), ("eu.corp.acme.test", ".corp.acme.test"),
            ("corp.acme.test", nil), ("a.intranet.acme.test", nil), ("evilcorp.acme.test", nil), ("acme.test", nil),
            ("192.0.2.7", "192.0.2.7"), ("192.0.2.8", nil), ("2001:db8::1", "2001:db8::1"),
            ("[2001:DB8::1]", "2001:db8::1"),
            ("", nil), (".", nil),
        ] {
            #expect(index.credential(forHost: host)?.entry.canonical == expected, "\(host)")
        }
    }

    @Test("a realm is found with its capitals")
    func realms() throws {
        let index = MatchIndex([try payload(hosts: ["a.test"], realm: "CORP.ACME.TEST")])
        #expect(index.credential(forRealm: "CORP.ACME.TEST") != nil)
        #expect(index.credential(forRealm: "corp.acme.test") == nil)
    }

    @Test("a URL and a host may be claimed by one payload of each kind")
    func bothKinds() throws {
        let index = MatchIndex([try payload(urls: ["https://a.test"]), try payload(hosts: ["a.test"])])
        #expect(match(index, "https://a.test/") == "https://a.test")
        #expect(index.credential(forHost: "a.test") != nil)
    }

    @Test("the table finds what comparing with every prefix finds")
    func random() throws {
        var random = SystemRandomNumberGenerator()
        func path() -> String {
            let segments = (0..<Int.random(in: 0...4, using: &random)).map { _ in ["a", "b", "ab", ""].randomElement()!
            }
            return (segments.isEmpty ? "" : "/") + segments.joined(separator: "/") + ["", "/"].randomElement()!
        }
        for _ in 0..<40 {
            let prefixes = Set((0..<12).map { "https://\($0 % 2).test\(path())" }).compactMap { try? URLPrefix($0) }
            let distinct = Array(Set(prefixes))
            let index = MatchIndex([try payload(urls: distinct.map(\.text))])
            for _ in 0..<200 {
                let (host, path) = (["0.test", "1.test", "2.test"].randomElement()!, path())
                let whole = "https://\(host)\(path.isEmpty ? "/" : path)"
                let expected = distinct.filter { prefix in
                    let text = prefix.canonical
                    return whole == text || whole.hasPrefix(text.hasSuffix("/") ? text : text + "/")
                }.max { $0.canonical.utf8.count < $1.canonical.utf8.count }
                let query = ["", "?q=/a/b", "#a/b"].randomElement()!
                #expect(match(index, "https://\(host)\(path)\(query)") == expected?.text, "\(whole) in \(distinct)")
            }
        }
    }
}
