import Foundation
import KerberosProfile
import SeededNumbers
import SingleSignOnWire
import Testing

/// docs/specifications/extensible-single-sign-on.md, 23. What is written is read by MIT Kerberos itself.
@Suite struct KerberosConfigurationTests {
    static func settings(_ data: [String: PropertyListValue] = [:], realm: String = "CORP.TEST") -> KerberosSettings {
        KerberosSettings(realm: realm, extensionData: data)
    }

    static func file(_ realms: KerberosConfiguration.Realm...) throws -> ConfigurationFile {
        try ConfigurationFile(KerberosConfiguration(realms).text().text)
    }

    @Test("preferred servers stand before those that are discovered, in MIT's notation")
    func servers() throws {
        let settings = Self.settings([
            "preferredKDCs": .array(
                ["a.test", "tcp/b.test:88", "udp/c.test:1088", "kkdcp://p.test:8443/KdcProxy", "[::1]:88"].map {
                    .string($0)
                })
        ])
        #expect(settings.findings.isEmpty)
        let file = try Self.file(
            .init(
                settings,
                discoveredKDCs: [
                    try KerberosServer(host: "d.test", port: 88), try KerberosServer(.tcp, host: "a.test"),
                ],
                discoveredPasswordServers: [try KerberosServer(host: "d.test", port: 464)]))
        #expect(
            file.values("realms", "CORP.TEST", "kdc") == [
                "a.test", "b.test:88", "c.test:1088", "https://p.test:8443/KdcProxy", "[::1]:88", "d.test:88",
            ])
        #expect(
            file.values("realms", "CORP.TEST", "kpasswd_server") == [
                "a.test", "b.test", "c.test", "https://p.test:8443/KdcProxy", "[::1]", "d.test:464",
            ])
        #expect(file.values("libdefaults", "udp_preference_limit") == ["1"])
    }

    @Test("names are not made canonical, and TCP comes first only where somebody wants it")
    func names() throws {
        let file = try Self.file(.init(Self.settings()))
        #expect(file.values("libdefaults", "dns_canonicalize_hostname") == ["false"])
        #expect(file.values("libdefaults", "rdns") == ["false"])
        #expect(file.values("libdefaults", "dns_lookup_kdc") == ["true"])
        #expect(file.values("libdefaults", "udp_preference_limit") == [])
        #expect(file.values("libdefaults", "default_realm") == [])
        #expect(file.values("realms", "CORP.TEST", "kdc") == [])
    }

    @Test("the mapping is turned round, and what is written counts before what is likely")
    func mapping() throws {
        let file = try Self.file(
            .init(
                Self.settings([
                    "isDefaultRealm": .boolean(true),
                    "domainRealmMapping": .dictionary([
                        "CORP.TEST": .array([.string(".acme.test"), .string("www.acme.test")]),
                        "LAB.TEST": .array([.string("corp.test")]),
                    ]),
                ])),
            .init(Self.settings(realm: "OTHER.TEST")))
        #expect(file.values("libdefaults", "default_realm") == ["CORP.TEST"])
        #expect(file.values("domain_realm", ".acme.test") == ["CORP.TEST"])
        #expect(file.values("domain_realm", "www.acme.test") == ["CORP.TEST"])
        #expect(file.values("domain_realm", "corp.test") == ["LAB.TEST"])
        #expect(file.values("domain_realm", ".corp.test") == ["CORP.TEST"])
        #expect(file.values("domain_realm", ".other.test") == ["OTHER.TEST"])
        #expect(file.sections("realms") == ["CORP.TEST", "OTHER.TEST"])
    }

    @Test("authorities of certificates are written, and paths that would end a value are not")
    func certificates() throws {
        let unsafe = [
            "/a\nkdc = evil.test", "/a\"b", "/a{", "/a}", "/a\\", "a", "", "/a ", "/%{TEMP}", "/a\r", "/a\u{2028}b",
        ]
        let (text, findings) = KerberosConfiguration([
            .init(
                Self.settings(), certificateAnchors: ["/etc/ca.pem", "/etc/my certs/"] + unsafe,
                proxyAnchors: ["/etc/proxy.pem"] + unsafe)
        ]).text()
        let file = try ConfigurationFile(text)
        #expect(
            file.values("realms", "CORP.TEST", "pkinit_anchors") == ["FILE:/etc/ca.pem", "DIR:/etc/my certs/"])
        #expect(file.values("realms", "CORP.TEST", "http_anchors") == ["FILE:/etc/proxy.pem"])
        // Without a name nothing but the mark for Kerberos counts.
        #expect(file.values("realms", "CORP.TEST", "pkinit_kdc_hostname") == [])
        #expect(file.values("realms", "CORP.TEST", "pkinit_eku_checking") == [])
        #expect(file.values("realms", "CORP.TEST", "kdc") == [])
        #expect(findings.count == 2 * unsafe.count && findings.allSatisfy { $0.severity == .error })
    }

    @Test("a center's certificate may have its name: one of the payload, or one below the domain that was found")
    func namesOfCenters() throws {
        let settings = Self.settings([
            "preferredKDCs": .array(
                ["kdc.acme.test", "tcp/dc1.corp.test:88", "kkdcp://proxy.corp.test/KdcProxy", "[::1]:88"].map {
                    .string($0)
                })
        ])
        let found = [
            try KerberosServer(host: "dc1.corp.test", port: 88), try KerberosServer(host: "dc2.corp.test"),
            // Name servers are believed by everybody, so whoever forges them could name a host of their own.
            try KerberosServer(host: "dc3.evil.test"), try KerberosServer(host: "evilcorp.test"),
            try KerberosServer(.proxy, host: "proxy2.corp.test"),
        ]
        let file = try Self.file(.init(settings, discoveredKDCs: found))
        #expect(
            file.values("realms", "CORP.TEST", "pkinit_kdc_hostname") == [
                "kdc.acme.test", "dc1.corp.test", "dc2.corp.test",
            ])
        #expect(file.values("realms", "CORP.TEST", "pkinit_eku_checking") == ["kpServerAuth"])
        // A center that was found elsewhere is asked too; its certificate needs the mark for Kerberos.
        #expect(file.values("realms", "CORP.TEST", "kdc").contains("dc3.evil.test"))
    }

    @Test("tickets can be handed on in a realm whose payload allows it, and in no other")
    func delegation() throws {
        let file = try Self.file(
            .init(Self.settings(["allowDelegation": .boolean(true)])), .init(Self.settings(realm: "OTHER.TEST")))
        #expect(file.sections("libdefaults") == ["CORP.TEST"])
        #expect(file.values("libdefaults", "CORP.TEST", "forwardable") == ["true"])
        #expect(file.values("libdefaults", "forwardable") == [])
    }

    @Test("an issuer's filter becomes a rule for certificates of cards, in which nothing can mean something else")
    func issuers() throws {
        for (filter, rule) in [
            ("*My CA2*", "<ISSUER>^.*My CA2.*$"), ("CN=Acme, O=Acme", "<ISSUER>^CN=Acme, O=Acme$"),
            ("a.b|(c)<KU>\\\"{}#;%", "<ISSUER>^a.b..c..KU........$"), (" é ", "<ISSUER>^ .. $"),
        ] {
            let settings = Self.settings(["identityIssuerAutoSelectFilter": .string(filter)])
            let file = try Self.file(.init(settings))
            #expect(file.values("realms", "CORP.TEST", "pkinit_cert_match") == [rule], "\(filter)")
        }
        let settings = Self.settings(["identityIssuerAutoSelectFilter": .string("*")])
        let file = try Self.file(.init(settings, choosesCards: false))
        #expect(file.values("realms", "CORP.TEST", "pkinit_cert_match") == [])
    }

    @Test("a realm that is none or stands twice is left out")
    func realms() throws {
        let file = try Self.file(
            .init(Self.settings(realm: "A = {\n")), .init(Self.settings()),
            .init(Self.settings(), discoveredKDCs: [try KerberosServer(host: "a.test")]))
        #expect(file.sections("realms") == ["CORP.TEST"])
        #expect(file.values("realms", "CORP.TEST", "kdc") == [])
    }

    /// Pieces of which somebody would make another setting.
    private static let pieces = [
        "\n", "\r", "\u{b}", "\u{2028}", "\0", "{", "}", "}*", "\"", "'", "\\", "\\n", "=", " ", "\t", "[realms]",
        "[libdefaults]", "kdc", "kdc = evil.test", "include /etc/passwd", "includedir /", "module /x.so:y", "#", ";",
        "*", "%{uid}", "$(id)", "`id`", "a", "A.TEST", ".", ":", "88", "/", "://", "kkdcp://", "tcp/", "udp/", "@", "é",
        "\u{212a}", "\u{202e}", "dc1.corp.test", String(repeating: "x", count: 300),
    ]

    @Test("whatever a profile says, the file has no settings but those that are meant", arguments: 0..<40)
    func injection(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            func text() -> String {
                (0..<Int.random(in: 1...5, using: &random)).map { _ in Self.pieces.randomElement(using: &random)! }
                    .joined()
            }
            let realm = Bool.random(using: &random) ? "CORP.TEST" : text()
            let settings = Self.settings(
                [
                    "preferredKDCs": .array((0..<3).map { _ in .string(text()) }),
                    "domainRealmMapping": .dictionary(
                        Dictionary(
                            [
                                (text(), .array([.string(text()), .string(".\(text())")])),
                                ("A.TEST", .array([.string(text())])),
                            ], uniquingKeysWith: { $1 })),
                    "principalName": .string(text()), "siteCode": .string(text()), "isDefaultRealm": .boolean(true),
                ], realm: realm)
            let (written, _) = KerberosConfiguration([
                .init(settings, certificateAnchors: ["/\(text())"], proxyAnchors: [text()])
            ]).text()
            let file = try ConfigurationFile(written)
            #expect(!written.utf8.contains(0))
            #expect(Set(file.sections()).isSubset(of: ["libdefaults", "realms", "domain_realm"]), "\(written)")
            let defaults = Set(file.names("libdefaults"))
            #expect(
                defaults.isSubset(of: [
                    "default_realm", "dns_canonicalize_hostname", "rdns", "dns_lookup_realm", "dns_lookup_kdc",
                    "udp_preference_limit",
                ]), "\(written)")
            #expect(file.values("libdefaults", "rdns") == ["false"], "\(written)")
            #expect(file.sections("realms") == (settings.realm.isEmpty ? [] : [settings.realm]), "\(written)")
            guard !settings.realm.isEmpty else { continue }
            #expect(
                Set(file.names("realms", settings.realm)).isSubset(of: [
                    "kdc", "kpasswd_server", "pkinit_anchors", "http_anchors", "pkinit_kdc_hostname",
                    "pkinit_eku_checking", "pkinit_cert_match",
                ]), "\(written)")
            #expect(
                file.values("realms", settings.realm, "kdc").count == Set(settings.preferredKDCs.map(\.inFile)).count)
            #expect(file.sections("domain_realm").isEmpty, "\(written)")
            let mapped = settings.domainRealmMapping.flatMap { realm, domains in domains.map { ($0, realm) } }
            for (domain, realm) in mapped { #expect(file.values("domain_realm", domain) == [realm], "\(written)") }
        }
    }
}

extension KerberosServer {
    /// What tells two servers apart in the file, which does not have the protocol.
    fileprivate var inFile: String { "\(transport == .proxy) \(host) \(port.map(String.init) ?? "") \(path)" }
}
