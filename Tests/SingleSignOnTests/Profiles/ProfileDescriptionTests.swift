import SingleSignOn
import SingleSignOnWire
import Testing

@Suite struct ProfileDescriptionTests {
    private static let description = ProfileDescription(
        identifier: "test.acme.sso", displayName: "Acme", extensionIdentifier: "test.acme.signin.extension",
        teamIdentifier: "ACME123456", hostAppIdentifier: "test.acme.signin",
        urls: ["https://id.acme.test/a/", "https://id.acme.test/b/"], hosts: [".corp.acme.test"],
        realm: "CORP.ACME.TEST",
        extensionData: ["username": .string("mika")])

    @Test("a profile that was built has no defect, and says what the description says")
    func whole() throws {
        let reading = ProfileReading(Self.description.profile.xml)
        #expect(reading.findings == [])
        let profile = try #require(reading.profile)
        #expect(profile.payloads.map(\.extensionData) == Array(repeating: ["username": .string("mika")], count: 2))
        #expect(profile.payloads[0].urls.map(\.text) == Self.description.urls)
        #expect(profile.payloads[1].realm == "CORP.ACME.TEST")
        #expect(profile.managedDomains[0].domains.map(\.description) == ["authsrv:id.acme.test"])
    }

    @Test("the same description is the same file; another identifier has other UUIDs")
    func stable() throws {
        #expect(Self.description.profile.xml == Self.description.profile.xml)
        var other = Self.description
        other.identifier = "test.acme.other"
        let uuids = try [Self.description, other].flatMap { try #require(ProfileReading($0.profile).profile).uuids }
        #expect(Set(uuids).count == 8)
        #expect(
            uuids.allSatisfy {
                $0.wholeMatch(of: /[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/) != nil
            })
    }

    @Test("what is built from nonsense has the defects of nonsense")
    func nonsense() {
        var description = Self.description
        description.urls = ["ftp://a.test", "https://b.test/?c"]
        description.extensionIdentifier = ""
        #expect(
            ProfileReading(description.profile).errors.map(\.keyPath) == [
                "PayloadContent[0].ExtensionIdentifier", "PayloadContent[0].URLs[0]", "PayloadContent[0].URLs[1]",
                "PayloadContent[1].ExtensionIdentifier",
            ])
    }
}

@Suite struct MatchExplanationTests {
    @Test("an explanation names who is asked and by what, or why nobody is")
    func explanations() throws {
        let profile = try #require(ProfileReading(TestProfile.profile()).profile)
        let index = MatchIndex(profile.payloads)
        let extensionID = "test.acme.signin.extension"
        for (url, text) in [
            (
                "HTTPS://id.acme.test:443/realms/staff/x?y",
                "https://id.acme.test/realms/staff/x: \(extensionID) is asked before the request, by “https://id.acme.test/realms/staff/”."
            ),
            (
                "https://a.corp.acme.test/",
                "https://a.corp.acme.test/: com.apple.AppSSOKerberos.KerberosExtension is asked when the server challenges, by “.corp.acme.test”."
            ),
            (
                "https://id.acme.test/x",
                "https://id.acme.test/x: nobody is asked: the profiles have other paths there: “https://id.acme.test/realms/staff/”."
            ),
            (
                "https://x.test",
                "https://x.test/: nobody is asked: no profile has a URL of this scheme, host and port, nor the host."
            ),
            ("mailto:a@b", "Nobody is asked: this is no URL with http or https."),
            ("https://a b/", "Nobody is asked: this is no URL."),
        ] {
            #expect(index.explain(url).description == text)
        }
    }
}
