import Foundation
import SingleSignOnWire
import Testing

@testable import KerberosProfile

/// The keys of docs/specifications/extensible-single-sign-on.md, 22.
@Suite struct KerberosSettingsTests {
    static let realm = "CORP.ACME.TEST"

    static func settings(_ data: [String: PropertyListValue] = [:]) -> KerberosSettings {
        KerberosSettings(realm: realm, extensionData: data)
    }

    @Test("without any key everything has its default")
    func defaults() {
        let settings = Self.settings()
        #expect(settings.findings.isEmpty)
        #expect(settings.realm == Self.realm && settings.principalName == nil && !settings.isDefaultRealm)
        #expect(settings.useSiteAutoDiscovery && !settings.requireTLSForLDAP && settings.preferredKDCs.isEmpty)
        #expect(settings.allowSmartCard && settings.allowPassword && !settings.startInSmartCardMode)
        #expect(settings.allowAutomaticLogin && !settings.requireUserPresence && !settings.delayUserSetup)
        #expect(settings.monitorCredentialsCache && !settings.performKerberosOnly)
        #expect(settings.credentialBundleIdACL == nil && settings.credentialUseMode == .always)
        #expect(settings.allowPasswordChange && settings.pwNotificationDays == 15 && settings.replicationTime == 900)
        #expect(settings.pwReqLength == nil && !settings.syncLocalPassword && settings.allowPlatformSSOAuthFallback)
    }

    @Test("every key is read into its property")
    func everyKey() {
        let settings = Self.settings([
            "principalName": .string("mika"), "isDefaultRealm": .boolean(true), "cacheName": .string("KCM:"),
            "siteCode": .string("Oslo-1"), "useSiteAutoDiscovery": .boolean(false),
            "requireTLSForLDAP": .boolean(true),
            "preferredKDCs": .array([
                .string("adserver1.example.com"), .string("tcp/adserver1.example.com:88"),
                .string("kkdcp://kerberosproxy.example.com:443/kkdcp"),
            ]),
            "domainRealmMapping": .dictionary([
                "CORP.ACME.TEST": .array([.string(".Corp.Acme.Test"), .string("acme.test")])
            ]),
            "certificateUUID": .string("4B1C"), "identityIssuerAutoSelectFilter": .string("*My CA2*"),
            "allowSmartCard": .boolean(true), "allowPassword": .boolean(false),
            "startInSmartCardMode": .boolean(true), "customUsernameLabel": .string("Account"),
            "helpText": .string("Ask\nAna"), "allowAutomaticLogin": .boolean(false),
            "requireUserPresence": .boolean(true), "delayUserSetup": .boolean(true),
        ])
        #expect(settings.principalName == "mika" && settings.isDefaultRealm && settings.cacheName == "KCM:")
        #expect(settings.siteCode == "Oslo-1" && !settings.useSiteAutoDiscovery && settings.requireTLSForLDAP)
        #expect(
            settings.preferredKDCs.map(\.description) == [
                "adserver1.example.com", "tcp/adserver1.example.com:88", "kkdcp://kerberosproxy.example.com:443/kkdcp",
            ])
        #expect(settings.domainRealmMapping == ["CORP.ACME.TEST": [".corp.acme.test", "acme.test"]])
        #expect(settings.certificateUUID == "4B1C" && settings.identityIssuerAutoSelectFilter == "*My CA2*")
        #expect(settings.allowSmartCard && !settings.allowPassword && settings.startInSmartCardMode)
        #expect(settings.customUsernameLabel == "Account" && settings.helpText == "Ask\nAna")
        #expect(!settings.allowAutomaticLogin && settings.requireUserPresence && settings.delayUserSetup)
        #expect(settings.findings.map(\.key) == ["cacheName", "requireUserPresence"])

        let more = Self.settings([
            "monitorCredentialsCache": .boolean(false), "performKerberosOnly": .boolean(true),
            "credentialBundleIdACL": .array([.string("a.b"), .string("A.B")]),
            "includeManagedAppsInBundleIdACL": .boolean(true), "includeKerberosAppsInBundleIdACL": .boolean(true),
            "credentialUseMode": .string("whenNotSpecified"), "allowPasswordChange": .boolean(true),
            "allowDelegation": .boolean(true),
            "pwChangeURL": .string("https://password.acme.test/"), "pwNotificationDays": .integer(10),
            "pwExpireOverride": .integer(90), "pwReqLength": .integer(8), "pwReqComplexity": .boolean(true),
            "pwReqMinAge": .integer(1), "pwReqHistory": .integer(5), "pwReqRTFData": .data(Data([1, 2])),
            "syncLocalPassword": .boolean(true), "replicationTime": .integer(60),
            "usePlatformSSOTGT": .boolean(true), "allowPlatformSSOAuthFallback": .boolean(false),
        ])
        #expect(!more.monitorCredentialsCache && more.performKerberosOnly)
        #expect(more.credentialBundleIdACL == ["a.b", "A.B"] && more.credentialUseMode == .whenNotSpecified)
        #expect(more.allowDelegation && !settings.allowDelegation)
        #expect(more.includeManagedAppsInBundleIdACL && more.includeKerberosAppsInBundleIdACL)
        #expect(more.pwChangeURL == "https://password.acme.test/" && more.pwNotificationDays == 10)
        #expect(more.pwExpireOverride == 90 && more.pwReqLength == 8 && more.pwReqComplexity)
        #expect(more.pwReqMinAge == 1 && more.pwReqHistory == 5 && more.pwReqRTFData == [1, 2])
        #expect(more.syncLocalPassword && more.replicationTime == 60)
        #expect(more.usePlatformSSOTGT && !more.allowPlatformSSOAuthFallback)
        // Keys that do nothing here are kept, and explained.
        let absent = more.findings.filter { $0.severity == .information }.map(\.key)
        #expect(
            absent == [
                "pwReqRTFData", "usePlatformSSOTGT", "allowPlatformSSOAuthFallback",
            ])
        let deprecated = more.findings.filter { $0.severity == .warning }.map(\.key)
        #expect(deprecated == ["pwExpireOverride", "replicationTime"])
        #expect(Self.settings(["pwReqText": .string("Long.")]).pwReqText == "Long.")
    }

    @Test("what counts is told for each key, and read again it is the same")
    func values() throws {
        let written: [String: PropertyListValue] = [
            "siteCode": .string("Oslo-1"), "preferredKDCs": .array([.string("tcp/a.test:88")]),
            "domainRealmMapping": .dictionary(["CORP.ACME.TEST": .array([.string(".acme.test")])]),
            "credentialBundleIdACL": .array([.string("a.b")]), "credentialUseMode": .string("kerberosDefault"),
            "allowPassword": .boolean(false), "pwNotificationDays": .integer(-1), "pwReqLength": .integer(8),
            "pwReqRTFData": .data(Data([1, 2])),
        ]
        for data in [written, [:]] {
            let settings = Self.settings(data)
            let told = KerberosKey.all.compactMap { key in key.value(in: settings).map { (key.name, $0) } }
            let again = Self.settings(Dictionary(uniqueKeysWithValues: told))
            #expect(again.withoutFindings == settings.withoutFindings)
            for (name, value) in written where name != "pwNotificationDays" && !data.isEmpty {
                #expect(try #require(KerberosKey.named(name)).value(in: settings) == value)
            }
            // A value that is wrong does not count.
            #expect(try #require(KerberosKey.named("pwNotificationDays")).value(in: settings) == .integer(15))
        }
        #expect(try #require(KerberosKey.named("siteCode")).value(in: Self.settings()) == nil)
    }

    @Test("a key of another type has its default, and is found", arguments: KerberosKey.all.map(\.name))
    func otherType(_ name: String) throws {
        let key = try #require(KerberosKey.named(name))
        for value: PropertyListValue in [
            .string("x"), .boolean(true), .integer(1), .real(1), .date(Date(timeIntervalSince1970: 0)),
            .data(Data()), .array([]), .dictionary([:]),
        ] where value.typeName != key.type {
            let settings = Self.settings([name: value])
            let finding = try #require(settings.findings.first)
            #expect(settings.findings.count == 1 && finding.key == name && finding.severity == .error)
            #expect(finding.problem.contains(value.typeName) && finding.remedy?.contains(key.type) == true)
            #expect(settings.withoutFindings == Self.settings())
        }
    }

    @Test("a value that is wrong has its default, and is found with its place")
    func wrongValues() throws {
        let rows: [(data: [String: PropertyListValue], key: String, words: String)] = [
            (["principalName": .string("mika@OTHER.TEST")], "principalName", "another realm"),
            (["principalName": .string("mi ka")], "principalName", "no name of a user"),
            (["principalName": .string("mika\n")], "principalName", "no name of a user"),
            (["principalName": .string("@CORP.ACME.TEST")], "principalName", "no name of a user"),
            (["principalName": .string("CORP\\mika")], "principalName", "no name of a user"),
            (["siteCode": .string("a.b")], "siteCode", "no site"),
            (["certificateUUID": .string("4B\nb")], "certificateUUID", "not one line"),
            (["preferredKDCs": .array([.string("a.test"), .integer(1)])], "preferredKDCs[1]", "is an integer"),
            (["preferredKDCs": .array([.string("http/a.test")])], "preferredKDCs[0]", "the protocol “http”"),
            (["preferredKDCs": .array([.string("https://a.test")])], "preferredKDCs[0]", "the protocol “https”"),
            (["preferredKDCs": .array([.string("a.test:0")])], "preferredKDCs[0]", "no port"),
            (["preferredKDCs": .array([.string("a.test:99999")])], "preferredKDCs[0]", "no port"),
            (["preferredKDCs": .array([.string("tcp/a.test/x")])], "preferredKDCs[0]", "is no proxy"),
            (["preferredKDCs": .array([.string("kkdcp://a.test/\"x")])], "preferredKDCs[0]", "a path that"),
            (["preferredKDCs": .array([.string("")])], "preferredKDCs[0]", "names no host"),
            (["preferredKDCs": .array([.string("a b")])], "preferredKDCs[0]", "no host name"),
            (
                ["domainRealmMapping": .dictionary(["A.TEST": .string(".a.test")])], "domainRealmMapping.A.TEST",
                "string"
            ),
            (["domainRealmMapping": .dictionary(["A B": .array([])])], "domainRealmMapping.A B", "no realm"),
            (
                ["domainRealmMapping": .dictionary(["A": .array([.string("b"), .string("x y")])])],
                "domainRealmMapping.A[1]", "no domain"
            ),
            (
                ["domainRealmMapping": .dictionary(["A": .array([.string("b")]), "C": .array([.string("B")])])],
                "domainRealmMapping.C[0]", "A has already"
            ),
            (["credentialUseMode": .string("Always")], "credentialUseMode", "is “Always”"),
            (["credentialBundleIdACL": .array([.integer(1)])], "credentialBundleIdACL[0]", "is an integer"),
            (["pwChangeURL": .string("javascript:alert(1)")], "pwChangeURL", "no page of the web"),
            (["pwNotificationDays": .integer(-1)], "pwNotificationDays", "is -1"),
            (["pwReqLength": .integer(.max)], "pwReqLength", "is 9223372036854775807"),
        ]
        for row in rows {
            let settings = Self.settings(row.data)
            #expect(settings.findings.map(\.key) == [row.key], "\(row)")
            #expect(
                settings.findings.allSatisfy { $0.severity == .error && $0.problem.contains(row.words) },
                "\(settings.findings)")
        }
        #expect(Self.settings(["principalName": .string("mika@OTHER.TEST")]).principalName == nil)
        #expect(Self.settings(["principalName": .string("mika@corp.acme.test")]).principalName == "mika")
        #expect(Self.settings(["pwNotificationDays": .integer(-1)]).pwNotificationDays == 15)
    }

    @Test("a key that nobody knows is a warning, with the one that is meant")
    func unknown() {
        let finding = Self.settings(["credentialBundleIDACL": .array([.string("a")])]).findings.first
        #expect(finding?.severity == .warning && finding?.remedy == "Did you mean credentialBundleIdACL?")
        #expect(Self.settings(["credentialBundleIDACL": .array([.string("a")])]).credentialBundleIdACL == nil)
        #expect(Self.settings(["preferedKDCs": .array([])]).findings.first?.remedy == "Did you mean preferredKDCs?")
        #expect(Self.settings(["colour": .string("red")]).findings.first?.remedy == "Leave it out.")
    }

    @Test("keys that take the effect from one another are warnings")
    func together() {
        func warnings(_ data: [String: PropertyListValue]) -> [String] {
            Self.settings(data).findings.filter { $0.severity == .warning }.map(\.key)
        }
        let none: [String: PropertyListValue] = ["allowPassword": .boolean(false), "allowSmartCard": .boolean(false)]
        #expect(warnings(none) == ["allowPassword"])
        #expect(warnings(none.merging(["certificateUUID": .string("4B")]) { $1 }) == [])
        #expect(
            warnings(["startInSmartCardMode": .boolean(true), "allowSmartCard": .boolean(false)])
                == ["startInSmartCardMode"])
        #expect(
            warnings(["pwChangeURL": .string("https://a.test"), "allowPasswordChange": .boolean(false)])
                == ["pwChangeURL"])
        #expect(warnings(["pwReqText": .string("Long."), "pwReqLength": .integer(8)]) == ["pwReqText"])
    }

    @Test("a realm that is none is found, and is empty", arguments: ["", "A B", "A}\n", "A..B", "Å.TEST", "A/B"])
    func realm(_ text: String) {
        let settings = KerberosSettings(realm: text, extensionData: [:])
        #expect(settings.realm.isEmpty && settings.findings.map(\.key) == ["Realm"])
        #expect(settings.findings.first?.severity == .error && settings.findings.first?.isInData == false)
    }
}

extension KerberosSettings {
    /// The values alone, to be compared with those of other settings.
    fileprivate var withoutFindings: KerberosSettings {
        var copy = self
        copy.findings = []
        return copy
    }
}
