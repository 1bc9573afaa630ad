import Foundation
import SingleSignOn
import Testing

@testable import SingleSignOnBroker

@Suite struct InstallationTests {
    /// An installation of one profile.
    /// - Parameters:
    ///   - contents: one payload each: the keys besides those that all payloads have.
    ///   - isWhole: whether there is no other profile that cannot be read.
    static func installation(_ contents: String..., isWhole: Bool = true) throws -> Installation {
        let payloads = contents.enumerated().map { number, content in
            """
            <dict><key>PayloadType</key><string>\(SingleSignOnPayload.type)</string>\
            <key>PayloadVersion</key><integer>1</integer><key>PayloadIdentifier</key><string>p\(number)</string>\
            <key>PayloadUUID</key><string>\(UUID())</string>\
            <key>ExtensionIdentifier</key><string>test.acme.ext</string>\
            <key>TeamIdentifier</key><string>ACME123456</string>\(content)</dict>
            """
        }
        let profile = """
            <plist version="1.0"><dict><key>PayloadType</key><string>Configuration</string>\
            <key>PayloadVersion</key><integer>1</integer><key>PayloadIdentifier</key><string>test.acme</string>\
            <key>PayloadUUID</key><string>\(UUID())</string>\
            <key>PayloadContent</key><array>\(payloads.joined())</array></dict></plist>
            """
        let reading = ProfileReading(Data(profile.utf8))
        let read = try #require(reading.profile, "\(reading.findings)")
        return Installation(
            InstalledProfiles(
                entries: [.init(profile: read, source: "/test", kind: .device, installedAt: Date(), signer: nil)],
                faulty: isWhole ? [] : [.init(source: "/other", kind: .device, identifier: nil, problem: "unreadable")]),
            ([], []))
    }

    static func redirect(_ urls: String...) -> String {
        "<key>Type</key><string>Redirect</string><key>URLs</key><array>"
            + urls.map { "<string>\($0)</string>" }.joined() + "</array>"
    }

    private static func credential(_ hosts: String..., realm: String? = nil) -> String {
        "<key>Type</key><string>Credential</string><key>Hosts</key><array>"
            + hosts.map { "<string>\($0)</string>" }.joined() + "</array>"
            + (realm.map { "<key>Realm</key><string>\($0)</string>" } ?? "")
    }

    @Test func `a payload that is gone has something in its place if nothing that it covered is lost`() throws {
        func isInPlace(of gone: String, _ installation: Installation) throws -> Bool {
            let payload = try #require(try Self.installation(gone).payloads.first)
            return installation.hasInPlace(of: payload)
        }
        let (staff, pupils) = ("https://id.acme.test/staff/", "https://id.acme.test/pupils/")
        #expect(try isInPlace(of: Self.redirect(staff), Self.installation(Self.redirect(pupils, staff))))
        let both = Self.redirect(staff, pupils)
        #expect(try isInPlace(of: both, Self.installation(Self.redirect(pupils), Self.redirect(staff))))
        #expect(try !isInPlace(of: both, Self.installation(Self.redirect(pupils))))
        #expect(try !isInPlace(of: Self.redirect(staff), Self.installation()))
        let intranet = Self.credential("intranet.acme.test")
        #expect(try isInPlace(of: intranet, Self.installation(Self.credential("a.acme.test", "intranet.acme.test"))))
        #expect(try !isInPlace(of: Self.credential("a.acme.test", "intranet.acme.test"), Self.installation(intranet)))
        let corporate = Self.credential("intranet.acme.test", realm: "CORP")
        #expect(try isInPlace(of: intranet, Self.installation(corporate)))
        let wider = Self.credential("intranet.acme.test", "a.test", realm: "CORP")
        #expect(try isInPlace(of: corporate, Self.installation(wider)))
        #expect(try !isInPlace(of: corporate, Self.installation(intranet)))
        #expect(try !isInPlace(of: corporate, Self.installation(Self.credential("intranet.acme.test", realm: "OTHER"))))
        #expect(try !isInPlace(of: intranet, Self.installation(Self.redirect("https://intranet.acme.test/"))))
    }
}
