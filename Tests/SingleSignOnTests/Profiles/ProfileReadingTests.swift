import Foundation
import SingleSignOn
import SingleSignOnWire
import Testing

/// The rules of docs/specifications/extensible-single-sign-on.md, 5.
@Suite struct ProfileReadingTests {
    @Test("a profile with a redirect and a Kerberos payload and managed domains is read whole")
    func whole() throws {
        let reading = ProfileReading(TestProfile.profile().xml)
        #expect(reading.findings == [])
        let profile = try #require(reading.profile)
        #expect(profile.identifier == "test.acme.sso")
        #expect(profile.displayName == "Acme single sign-on")
        let redirect = try #require(profile.payloads.first)
        #expect(redirect.extensionIdentifier == "test.acme.signin.extension")
        #expect(redirect.teamIdentifier == "ACME123456")
        #expect(redirect.urls.map(\.text) == ["https://id.acme.test/realms/staff/", "https://saml.acme.test"])
        #expect(redirect.extensionData == ["username": .string("mika"), "tries": .integer(3), "quiet": .boolean(true)])
        #expect(redirect.screenLockedBehavior == .doNotHandle)
        #expect(redirect.deniedBundleIdentifiers == ["test.acme.kiosk"])
        #expect(profile.payloads.last?.realm == "CORP.ACME.TEST")
        #expect(profile.payloads.last?.hosts.map(\.canonical) == [".corp.acme.test", "intranet.acme.test"])
        #expect(profile.payloads.last?.screenLockedBehavior == .cancel)
        #expect(profile.managedDomains.first?.applicationIdentifier == "ACME123456.test.acme.signin")
        #expect(
            profile.managedDomains.first?.domains.map(\.description)
                == ["authsrv:id.acme.test", "authsrv:saml.acme.test?mode=managed"])
        #expect(profile.managedDomains.first?.enableDirectDownloads == true)
    }

    struct Row: CustomTestStringConvertible {
        let change: [String: PropertyListValue?]
        let place: String
        let words: String
        var testDescription: String { "\(place) \(words)" }
    }

    private func reading(_ change: [String: PropertyListValue?], of payload: [String: PropertyListValue])
        -> ProfileReading
    {
        ProfileReading(TestProfile.profile([payload.changing(change), TestProfile.domains]))
    }

    private func expect(_ row: Row, _ reading: ProfileReading, _ severity: Finding.Severity) {
        let found = reading.findings.first {
            $0.severity == severity && $0.keyPath == row.place && $0.problem.contains(row.words)
        }
        #expect(found != nil, "\(reading.findings)")
        #expect(found?.remedy != nil || severity != .error)
        #expect((reading.profile == nil) == !reading.errors.isEmpty)
        #expect(severity == .error || reading.errors.isEmpty, "\(reading.errors)")
    }

    @Test(
        "errors of a redirect payload, each with its place, what is wrong and what to write",
        arguments: [
            Row(
                change: ["ExtensionIdentifier": .none], place: "PayloadContent[0].ExtensionIdentifier",
                words: "is missing"),
            Row(
                change: ["ExtensionIdentifier": .string("")], place: "PayloadContent[0].ExtensionIdentifier",
                words: "is empty"),
            Row(
                change: ["ExtensionIdentifier": .integer(1)], place: "PayloadContent[0].ExtensionIdentifier",
                words: "is an integer"),
            Row(
                change: ["ExtensionIdentifier": .string("test acme")], place: "PayloadContent[0].ExtensionIdentifier",
                words: "has a space"),
            Row(
                change: ["TeamIdentifier": .string("ACME 123456")], place: "PayloadContent[0].TeamIdentifier",
                words: "has a space"),
            Row(change: ["Type": .none], place: "PayloadContent[0].Type", words: "is missing"),
            Row(
                change: ["Type": .string("redirect"), "URLs": .strings("https://id.acme.test/?a=1")],
                place: "PayloadContent[0].URLs[0]", words: "has a query"),
            Row(
                change: ["Type": .none, "URLs": .none, "Hosts": .strings("a.test/b")],
                place: "PayloadContent[0].Hosts[0]", words: "has a path"),
            Row(change: ["Type": .string("redirect")], place: "PayloadContent[0].Type", words: "“redirect”"),
            Row(change: ["URLs": .none], place: "PayloadContent[0].URLs", words: "is missing"),
            Row(change: ["URLs": .array([])], place: "PayloadContent[0].URLs", words: "is empty"),
            Row(
                change: ["URLs": .string("https://id.acme.test")], place: "PayloadContent[0].URLs", words: "is a string"
            ),
            Row(change: ["URLs": .array([.integer(1)])], place: "PayloadContent[0].URLs[0]", words: "holds an integer"),
            Row(
                change: ["URLs": .strings("ftp://id.acme.test")], place: "PayloadContent[0].URLs[0]",
                words: "neither http:// nor https://"),
            Row(
                change: ["URLs": .strings("id.acme.test")], place: "PayloadContent[0].URLs[0]",
                words: "neither http:// nor https://"),
            Row(
                change: ["URLs": .strings("https:/id.acme.test")], place: "PayloadContent[0].URLs[0]",
                words: "is no URL"),
            Row(
                change: ["URLs": .strings("https://id.acme.test/?a=1")], place: "PayloadContent[0].URLs[0]",
                words: "has a query"),
            Row(
                change: ["URLs": .strings("https://id.acme.test/#a")], place: "PayloadContent[0].URLs[0]",
                words: "has a fragment"),
            Row(
                change: ["URLs": .strings("https://mika@id.acme.test/")], place: "PayloadContent[0].URLs[0]",
                words: "has a user name"),
            Row(change: ["URLs": .strings("https:///a")], place: "PayloadContent[0].URLs[0]", words: "has no host"),
            Row(
                change: ["URLs": .strings("https://id.acme.test:x/")], place: "PayloadContent[0].URLs[0]",
                words: "is no URL"),
            Row(
                change: ["URLs": .strings("https://id.acme.test", "https://ID.acme.test:443/")],
                place: "PayloadContent[0].URLs[1]", words: "is the same as what PayloadContent[0].URLs[0] claims"),
            Row(
                change: ["ScreenLockedBehavior": .string("cancel")], place: "PayloadContent[0].ScreenLockedBehavior",
                words: "“cancel”"),
            Row(change: ["ExtensionData": .array([])], place: "PayloadContent[0].ExtensionData", words: "is an array"),
            Row(
                change: ["DeniedBundleIdentifiers": .array([.boolean(true)])],
                place: "PayloadContent[0].DeniedBundleIdentifiers[0]", words: "holds a boolean"),
            Row(change: ["PayloadUUID": .none], place: "PayloadContent[0].PayloadUUID", words: "is missing"),
            Row(
                change: ["PayloadUUID": .string("4b1c6c3e-6b0e-4e0b-9c55-3a0b5d7f0a01")],
                place: "PayloadContent[0].PayloadUUID", words: "is that of PayloadUUID already"),
        ])
    func redirectErrors(_ row: Row) {
        expect(row, reading(row.change, of: TestProfile.redirect), .error)
    }

    @Test(
        "errors of a credential payload",
        arguments: [
            Row(change: ["Hosts": .none], place: "PayloadContent[0].Hosts", words: "is missing"),
            Row(change: ["Hosts": .array([])], place: "PayloadContent[0].Hosts", words: "is empty"),
            Row(
                change: ["Hosts": .strings("https://intranet.acme.test")], place: "PayloadContent[0].Hosts[0]",
                words: "is a URL"),
            Row(
                change: ["Hosts": .strings("intranet.acme.test/a")], place: "PayloadContent[0].Hosts[0]",
                words: "has a path"),
            Row(change: ["Hosts": .strings(".")], place: "PayloadContent[0].Hosts[0]", words: "names no host"),
            Row(
                change: ["Hosts": .strings("intra net")], place: "PayloadContent[0].Hosts[0]", words: "is no host name"),
            Row(
                change: ["Hosts": .strings("a.test", "A.test.")], place: "PayloadContent[0].Hosts[1]",
                words: "is the same as what PayloadContent[0].Hosts[0] claims"),
            Row(change: ["Realm": .none], place: "PayloadContent[0].Realm", words: "is missing"),
            Row(
                change: ["Type": .string("Redirect"), "URLs": .strings("https://id.acme.test/")],
                place: "PayloadContent[0].Type", words: "is Redirect"),
            Row(
                change: ["TeamIdentifier": .string("ACME123456")], place: "PayloadContent[0].TeamIdentifier",
                words: "is not “apple”"),
        ])
    func credentialErrors(_ row: Row) {
        expect(row, reading(row.change, of: TestProfile.kerberos), .error)
    }

    @Test(
        "warnings of a redirect payload",
        arguments: [
            Row(
                change: ["URLs": .strings("http://id.acme.test/")], place: "PayloadContent[0].URLs[0]",
                words: "in the clear"),
            Row(
                change: ["URLs": .strings("https://id.acme.test/realms/staff")], place: "PayloadContent[0].URLs[0]",
                words: "without a slash at its end"),
            Row(
                change: ["URLs": .strings("https://other.test/")], place: "PayloadContent[0].URLs[0]",
                words: "authsrv:other.test"),
            Row(
                change: ["TeamIdentifier": .string("OTHER12345")], place: "PayloadContent[0].URLs[0]",
                words: "“ACME123456.test.acme.signin”, which does not begin with the extension's team “OTHER12345”"),
            Row(change: ["TeamIdentifier": .none], place: "PayloadContent[0].TeamIdentifier", words: "is missing"),
            Row(change: ["Hosts": .strings("a.test")], place: "PayloadContent[0].Hosts", words: "means nothing"),
            Row(change: ["Realm": .string("A")], place: "PayloadContent[0].Realm", words: "means nothing"),
            Row(change: ["ExtensionDate": .integer(1)], place: "PayloadContent[0].ExtensionDate", words: "is no key"),
            Row(
                change: ["PlatformSSO": .dictionary([:])], place: "PayloadContent[0].PlatformSSO", words: "Platform SSO"
            ),
            Row(
                change: ["AuthenticationMethod": .string("Password")], place: "PayloadContent[0].AuthenticationMethod",
                words: "Platform SSO"),
            Row(
                change: ["DeniedBundleIdentifiers": .strings("test.*")],
                place: "PayloadContent[0].DeniedBundleIdentifiers[0]", words: "wildcard"),
        ])
    func redirectWarnings(_ row: Row) {
        expect(row, reading(row.change, of: TestProfile.redirect), .warning)
    }

    @Test func `an authorization endpoint has nothing below it, and needs no slash`() {
        let urls: [String: PropertyListValue?] = ["URLs": .strings("https://id.acme.test/oidc/authorize")]
        #expect(!"\(reading(urls, of: TestProfile.redirect).findings)".contains("slash"))
    }

    @Test(
        "warnings of a credential payload",
        arguments: [
            Row(
                change: ["Hosts": .strings("a.test:8080", "b.test")], place: "PayloadContent[0].Hosts[0]",
                words: "has a port"),
            Row(
                change: ["Hosts": .strings("*.a.test", "b.test")], place: "PayloadContent[0].Hosts[0]",
                words: "has an asterisk"),
            Row(change: ["Realm": .string("corp.acme.test")], place: "PayloadContent[0].Realm", words: "small letters"),
            Row(change: ["URLs": .strings("https://a.test")], place: "PayloadContent[0].URLs", words: "means nothing"),
            Row(
                change: ["ExtensionData": .dictionary(["credentialBundleIDACL": .strings("a")])],
                place: "PayloadContent[0].ExtensionData.credentialBundleIDACL", words: "is no key"),
            Row(
                change: ["ExtensionData": .dictionary(["cacheName": .string("a")])],
                place: "PayloadContent[0].ExtensionData.cacheName", words: "out of date"),
        ])
    func credentialWarnings(_ row: Row) {
        expect(row, reading(row.change, of: TestProfile.kerberos), .warning)
    }

    @Test("a key that is nearly right gets the right one as a remedy")
    func didYouMean() {
        let acl = reading(
            ["ExtensionData": .dictionary(["credentialBundleIDACL": .strings("a")])], of: TestProfile.kerberos)
        #expect(acl.warnings.map(\.remedy).contains("Did you mean credentialBundleIdACL?"))
        let data = reading(["ExtensionDate": .integer(1)], of: TestProfile.redirect)
        #expect(data.warnings.map(\.remedy) == ["Did you mean ExtensionData?"])
    }

    @Test("each key for Kerberos is checked in its place; what does nothing here is explained")
    func kerberosKeys() {
        func findings(_ data: [String: PropertyListValue]) -> [Finding] {
            reading(["ExtensionData": .dictionary(data)], of: TestProfile.kerberos).findings
        }
        let rows: [(data: [String: PropertyListValue], severity: Finding.Severity, key: String, words: String)] = [
            (["allowPassword": .string("no")], .error, "allowPassword", "is a string"),
            (["pwReqLength": .real(8)], .error, "pwReqLength", "is a real"),
            (["preferredKDCs": .strings("a.test", "b.test\nx = y")], .error, "preferredKDCs[1]", "no host name"),
            (
                ["domainRealmMapping": .dictionary(["A.TEST": .string(".a")])], .error, "domainRealmMapping.A.TEST",
                "string"
            ),
            (["principalName": .string("a@OTHER.TEST")], .error, "principalName", "another realm"),
            (["credentialUseMode": .string("never")], .error, "credentialUseMode", "is “never”"),
            (["pwReqRTFData": .data(Data([1]))], .information, "pwReqRTFData", "draws RTF"),
            (["usePlatformSSOTGT": .boolean(true)], .information, "usePlatformSSOTGT", "no Platform SSO"),
            (["replicationTime": .integer(900)], .warning, "replicationTime", "out of date"),
        ]
        for row in rows {
            let found = findings(row.data)
            #expect(found.map(\.keyPath) == ["PayloadContent[0].ExtensionData.\(row.key)"], "\(row)")
            #expect(found.allSatisfy { $0.severity == row.severity && $0.problem.contains(row.words) }, "\(found)")
        }
        #expect(findings(["syncLocalPassword": .boolean(true)]) == [])
        let realm = reading(["Realm": .string("CORP ACME")], of: TestProfile.kerberos)
        #expect(realm.errors.map(\.keyPath) == ["PayloadContent[0].Realm"])
    }

    /// A payload for another realm than the test profile's.
    private static func otherRealm(isDefault: Bool) -> [String: PropertyListValue] {
        TestProfile.kerberos.changing([
            "PayloadUUID": .string("4B1C6C3E-6B0E-4E0B-9C55-3A0B5D7F0A0F"), "Realm": .string("LAB.TEST"),
            "Hosts": .strings(".lab.test"), "ExtensionData": .dictionary(["isDefaultRealm": .boolean(isDefault)]),
        ])
    }

    @Test("one realm is the default one: two cannot be, and if none of several is, that is said")
    func defaultRealm() throws {
        let main = TestProfile.kerberos.changing([
            "ExtensionData": .dictionary(["isDefaultRealm": .boolean(true)])
        ])
        #expect(ProfileReading(TestProfile.profile([main, Self.otherRealm(isDefault: false)])).findings == [])
        let two = ProfileReading(TestProfile.profile([main, Self.otherRealm(isDefault: true)]))
        #expect(two.findings.map(\.keyPath) == ["PayloadContent[1].ExtensionData.isDefaultRealm"])
        #expect(two.errors.first?.problem.contains("PayloadContent[0]") == true)
        let none = ProfileReading(TestProfile.profile([TestProfile.kerberos, Self.otherRealm(isDefault: false)]))
        #expect(none.findings.map(\.severity) == [.information])
        #expect(none.findings.first?.problem.contains("CORP.ACME.TEST, LAB.TEST") == true)

        // Beside one that is installed, too.
        let installed = try #require(ProfileReading(TestProfile.profile([main])).profile)
        let beside = ProfileReading(
            TestProfile.profile(
                [Self.otherRealm(isDefault: true)],
                changing: [
                    "PayloadIdentifier": .string("test.lab"),
                    "PayloadUUID": .string("4B1C6C3E-6B0E-4E0B-9C55-3A0B5D7F0A0E"),
                ]), beside: [installed])
        #expect(beside.errors.map(\.keyPath) == ["PayloadContent[0].ExtensionData.isDefaultRealm"])
        #expect(beside.errors.first?.problem.contains("the installed profile “test.acme.sso”") == true)
    }

    @Test("every defect is found in one pass, errors before warnings")
    func onePass() {
        let reading = reading(
            [
                "Type": .string("Redirect"), "URLs": .strings("ftp://a.test", "http://b.test", "https://c.test/#x"),
                "TeamIdentifier": .none, "Colour": .string("red"),
            ], of: TestProfile.redirect)
        #expect(
            reading.findings.map(\.keyPath) == [
                "PayloadContent[0].URLs[0]", "PayloadContent[0].URLs[2]", "PayloadContent[0].TeamIdentifier",
                "PayloadContent[0].URLs[1]", "PayloadContent[0].Colour", "PayloadContent[0].URLs[0]",
            ])
    }

    @Test("what an installed profile claims cannot be claimed again, except by a newer form of the same profile")
    func installed() throws {
        let installed = try #require(ProfileReading(TestProfile.profile()).profile)
        #expect(ProfileReading(TestProfile.profile(), beside: [installed]).errors == [])
        let other = TestProfile.profile(changing: ["PayloadIdentifier": .string("test.other")])
        let errors = ProfileReading(other, beside: [installed]).errors
        #expect(errors.count == 8)
        #expect(errors.allSatisfy { $0.problem.contains("the installed profile “test.acme.sso”") })
    }

    @Test("a payload that stands alone, no dictionary, and nothing of ours are told apart")
    func outside() {
        let alone = ProfileReading(.dictionary(TestProfile.redirect))
        #expect(alone.profile == nil)
        #expect(alone.errors.first?.remedy == "Put this payload into the array PayloadContent of a profile.")
        #expect(ProfileReading(.array([])).errors.map(\.problem) == ["The root is an array, not a dictionary."])
        let foreign = ProfileReading(TestProfile.profile([["PayloadType": .string("com.apple.wifi.managed")]]))
        #expect(foreign.errors == [])
        #expect(foreign.findings.map(\.severity) == [.warning, .information])
        #expect(ProfileReading(Data("<html>".utf8)).errors.count == 1)
    }

    @Test(
        "an associated domain is a service, a colon and a domain",
        arguments: [
            ("id.acme.test", AssociatedDomain.Problem.noService), ("authsrv:https://id.acme.test", .hasPort),
            ("authsrv://id.acme.test", .hasScheme), ("authsrv:id.acme.test/a", .hasPath),
            ("authsrv:id.acme.test:8443", .hasPort), ("authsrv:id.acme.test?mode=x", .unknownMode("mode=x")),
            ("authsrv:", .malformedDomain), ("authsrv:a*.acme.test", .malformedDomain),
            ("authsrv:test", .malformedDomain),
        ])
    func domains(_ text: String, _ problem: AssociatedDomain.Problem) {
        if text.hasPrefix("authsrv:https") {
            #expect(throws: AssociatedDomain.Problem.self) { try AssociatedDomain(text) }
        } else {
            #expect(throws: problem) { try AssociatedDomain(text) }
        }
    }

    @Test("an exact domain covers itself, a wildcard everything below, at the borders of labels")
    func covers() throws {
        #expect(try AssociatedDomain("authsrv:ID.acme.test").covers("id.acme.test"))
        #expect(try !AssociatedDomain("authsrv:acme.test").covers("id.acme.test"))
        #expect(try AssociatedDomain("authsrv:*.acme.test").covers("a.b.acme.test"))
        #expect(try !AssociatedDomain("authsrv:*.acme.test").covers("acme.test"))
        #expect(try !AssociatedDomain("authsrv:*.acme.test").covers("evilacme.test"))
    }

    @Test("what a profile has in megabytes is quoted in words")
    func bounded() {
        let long = String(repeating: "x", count: 1 << 20)
        let found =
            reading(
                [
                    "URLs": .strings("ftp://\(long)"), "Type": .string(long),
                    "DeniedBundleIdentifiers": .strings("*\(long)"),
                ],
                of: TestProfile.redirect
            ).findings + reading([long: .string("")], of: TestProfile.redirect).findings
        #expect(found.contains { $0.severity == .error })
        for finding in found { #expect(finding.description.utf8.count < 4_000) }
    }
}
