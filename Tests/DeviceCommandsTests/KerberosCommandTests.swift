import ArgumentParser
import Foundation
import SingleSignOn
import SingleSignOnWire
import Testing

@testable import DeviceCommands

/// docs/specifications/extensible-single-sign-on.md, 21.7 and 26.2.
@Suite("Realms of Kerberos at the command line")
struct KerberosCommandTests {
    private func realms(_ written: (name: String, isDefault: Bool)..., more: String = "") throws -> [KerberosRealm] {
        try written.map { name, isDefault in
            let text = """
                <plist version="1.0"><dict><key>PayloadType</key><string>Configuration</string>
                <key>PayloadVersion</key><integer>1</integer><key>PayloadIdentifier</key><string>test.acme.\(name)</string>
                <key>PayloadUUID</key><string>\(UUID().uuidString)</string><key>PayloadContent</key><array><dict>
                <key>PayloadType</key><string>com.apple.extensiblesso</string><key>PayloadVersion</key><integer>1</integer>
                <key>PayloadIdentifier</key><string>test.acme.\(name).sso</string>
                <key>PayloadUUID</key><string>\(UUID().uuidString)</string>
                <key>ExtensionIdentifier</key><string>\(KerberosKeys.extensionIdentifier)</string>
                <key>TeamIdentifier</key><string>apple</string><key>Type</key><string>Credential</string>
                <key>Hosts</key><array><string>.\(name.lowercased())</string></array><key>Realm</key><string>\(name)</string>
                <key>ExtensionData</key><dict><key>isDefaultRealm</key><\(isDefault ? "true" : "false")/>\(more)</dict>
                </dict></array></dict></plist>
                """
            let profile = try #require(ProfileReading(Data(text.utf8)).profile)
            return KerberosRealm(name: name, profile: profile.identifier, payload: try #require(profile.payloads.first))
        }
    }

    @Test("A realm that is left out is the only one, or the default one")
    func choosing() throws {
        let one = try RealmArgument.choose(nil, from: try realms(("A.TEST", false)))
        #expect(one.name == "A.TEST")
        let two = try RealmArgument.choose(nil, from: try realms(("A.TEST", false), ("B.TEST", true)))
        #expect(two.name == "B.TEST")
        let named = try RealmArgument.choose("A.TEST", from: try realms(("A.TEST", false), ("B.TEST", true)))
        #expect(named.name == "A.TEST")
    }

    private func failure(_ name: String?, _ realms: [KerberosRealm]) -> SingleSignOnFailure? {
        do {
            _ = try RealmArgument.choose(name, from: realms)
            return nil
        } catch { return error as? SingleSignOnFailure }
    }

    @Test("What no profile is for is said, with what there is")
    func refusing() throws {
        let two = try realms(("A.TEST", false), ("B.TEST", false))
        let unclear = try #require(failure(nil, two))
        #expect(unclear.code == .failure)
        #expect(unclear.message == "Name one of the realms A.TEST, B.TEST.")
        let unknown = try #require(failure("C.TEST\u{1b}", two))
        #expect(unknown.code == .notCovered)
        #expect(unknown.message.hasSuffix("There is: A.TEST, B.TEST."))
        #expect(!unknown.message.contains("\u{1b}"))
        #expect(try #require(failure("a.test", two)).message.hasSuffix("write A.TEST."))
        #expect(try #require(failure(nil, [])).code == .notCovered)
        #expect(try #require(failure("A.TEST", [])).message.hasSuffix("No profile for Kerberos is installed."))
    }

    @Test("The extension's file stands before those that counted, once")
    func environment() {
        func value(_ before: String?) -> String {
            KerberosEnvironmentCommand.configuration(own: "/x/programs.conf", before: before)
        }
        #expect(value(nil) == "/x/programs.conf:/etc/krb5.conf")
        #expect(value("") == "/x/programs.conf:/etc/krb5.conf")
        #expect(value("/a:/b") == "/x/programs.conf:/a:/b")
        #expect(value("/x/programs.conf:/a") == "/x/programs.conf:/a")
    }

    @Test("Settings show every key with what counts, where it is from, and what is to be said about it")
    func settings() throws {
        let more = """
            <key>siteCode</key><string>Oslo-1</string><key>replicationTime</key><integer>60</integer>
            <key>delayUserSetup</key><true/><key>sitecode</key><string>x</string><key>preferredKDCs</key><array><string>a.test</string><string>b.test</string>
            </array>
            """
        let report = KerberosSettingsReport(try #require(try realms(("A.TEST", true), more: more).first))
        #expect(report.realm == "A.TEST" && report.profile == "test.acme.A.TEST" && report.hosts == [".a.test"])
        let lines = report.text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        for line in [
            "siteCode Oslo-1 the profile", "isDefaultRealm true the profile",
            "preferredKDCs a.test, b.test the profile",
            "allowPassword true the default", "principalName", "pwNotificationDays 15 the default",
            "replicationTime 60 the profile", "replicationTime is out of date. Leave it out.",
            "delayUserSetup true the profile",
        ] { #expect(lines.contains(line), "\(line)") }
        let notes = report.settings.filter { !$0.notes.isEmpty }.map(\.key)
        #expect(notes == ["replicationTime"])
        #expect(report.notes == ["sitecode is no key of the Kerberos extension. Did you mean siteCode?"])
        #expect(report.text.hasSuffix("\n\n\(report.notes[0])"))
    }

    @Test("What the extension tells is read, and what it does not tell is left out")
    func state() throws {
        let headers = [
            ("Realm", "A.TEST"), ("Principal", "mika@A.TEST"), ("UserName", "mika"), ("Signed-In", "true"),
            ("TGT-Issued", "2026-03-01T08:00:00Z"), ("TGT-Expires", "2026-03-01T18:00:00Z"),
            ("Password-Saved", "true"), ("Password-Expires", "2026-04-01T00:00:00Z"),
            ("Cache-Name", "KCM:1000:sso-A.TEST"), ("Cache-Use", "shared"), ("Cache-Reason", "keeper"),
            ("Network-Available", "false"), ("UPN", "mika.ito@school.test"), ("Home-Directory", #"\\files\home\mika"#),
        ].map { HeaderField("X-SSO-Kerberos-\($0)", $1) }
        let state = KerberosState(realm: "A.TEST", profile: "test.acme", servers: ["kdc.a.test"], headers: headers)
        #expect(state.signedIn)
        #expect(state.ticketUntil?.timeIntervalSince(try #require(state.ticketFrom)) == 36_000)
        #expect(state.site == nil)
        #expect(state.userPrincipalName == "mika.ito@school.test" && state.homeDirectory == #"\\files\home\mika"#)
        #expect(
            state.text == """
                realm      A.TEST
                profile    test.acme
                signed in  mika@A.TEST
                known as   mika.ito@school.test
                ticket     from 2026-03-01 08:00, until 2026-03-01 18:00
                password   saved on this device, expires 2026-04-01 00:00
                home       \\\\files\\home\\mika
                cache      KCM:1000:sso-A.TEST (shared; SSSD keeps tickets here)
                servers    kdc.a.test
                network    no server answers
                """)
        // Somebody who got the ticket without a password has been signed in since it began.
        #expect(state.loginDate == state.ticketFrom)
        let json = String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
        for name in ["upn", "user_name", "login_date", "password_expires_date", "networkAvailable"] {
            #expect(json.contains("\"\(name)\":"), "\(json)")
        }
        let before = KerberosState(
            realm: "A.TEST", profile: "test.acme", servers: [],
            headers: [HeaderField("X-SSO-Kerberos-Login-Date", "2026-03-01T08:00:00Z")])
        #expect(before.loginDate == nil && before.text.contains("last typed  2026-03-01 08:00"))
        let nobody = KerberosState(realm: "A.TEST", profile: "test.acme", servers: [], headers: [])
        #expect(!nobody.signedIn)
        #expect(nobody.text.contains("signed in  nobody") && !nobody.text.contains("keytab"))
        let kiosk = KerberosState(
            realm: "A.TEST", profile: "test.acme", servers: [],
            headers: [HeaderField("X-SSO-Kerberos-Keytab-Refused", "Preauthentication failed")])
        #expect(kiosk.text.contains("keytab     refused and not tried now: Preauthentication failed."))
    }
}
