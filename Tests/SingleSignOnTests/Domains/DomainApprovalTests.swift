import Foundation
import SingleSignOn
import SingleSignOnWire
import Testing

@Suite struct DomainApprovalTests {
    private static let identity = ExtensionIdentity(
        teamIdentifier: "ACME123456", extensionIdentifier: "test.acme.signin.extension",
        hostAppIdentifier: "test.acme.signin", associatedDomains: [], acceptsManagedDomains: true)

    private func state(_ json: String) -> DomainApproval.State {
        let file = Result { () throws(AssociationFile.Problem) in try AssociationFile(Data(json.utf8)) }
        return DomainApproval.State(file, of: Self.identity)
    }

    @Test(
        "a file that names the host app, or the extension, agrees",
        arguments: [
            #"{"authsrv":{"apps":["ACME123456.test.acme.signin"]}}"#,
            #"{"authsrv":{"apps":["X.y","ACME123456.test.acme.signin.extension"]},"applinks":{"details":[]}}"#,
        ])
    func agrees(_ json: String) {
        #expect(state(json) == .approved)
    }

    @Test(
        "a file that names another app, or is none, denies with its reason",
        arguments: [
            (#"{"authsrv":{"apps":["acme123456.test.acme.signin"]}}"#, "names neither"),
            (#"{"authsrv":{"apps":["ACME123456.test.acme"]}}"#, "names neither"),
            (#"{"authsrv":{"apps":[]}}"#, "names neither"),
            (#"{"authsrv":{"apps":[1,"ACME123456.test.acme.signin"]}}"#, "array of strings"),
            (#"{"authsrv":{"apps":"ACME123456.test.acme.signin"}}"#, "array of strings"),
            (#"{"authsrv":["ACME123456.test.acme.signin"]}"#, "array of strings"),
            (#"{"webcredentials":{"apps":["ACME123456.test.acme.signin"]}}"#, "no “authsrv”"),
            ("[]", "no JSON object"), ("", "no JSON object"), ("<html>", "no JSON object"), ("{", "no JSON object"),
            (String(repeating: " ", count: 200_000) + "{}", "more than 128 KiB"),
        ])
    func denies(_ json: String, _ words: String) {
        guard case .denied(let reason) = state(json) else {
            Issue.record("\(json.prefix(80)) agrees")
            return
        }
        #expect(reason.contains(words))
    }

    @Test(
        "a file that says it twice denies: readers differ in which they take",
        arguments: [
            #"{"authsrv":{"apps":[]},"authsrv":{"apps":["ACME123456.test.acme.signin"]}}"#,
            #"{"authsrv":{"apps":["ACME123456.test.acme.signin"]},"authsrv":{"apps":["ACME123456.test.acme.signin"]}}"#,
            #"{"a\u0075thsrv" : {"apps":[]}, "x":{"authsrv":1}, "authsrv":{"apps":["ACME123456.test.acme.signin"]}}"#,
            #"{"authsrv":{"apps":[],"x":"\"}","apps":["ACME123456.test.acme.signin"]}}"#,
        ])
    func repeated(_ json: String) {
        #expect(state(json) == .denied("the association file has “authsrv” twice, or “apps” in it"))
    }

    @Test(
        "the same words elsewhere are no repetition",
        arguments: [
            #"{"x":{"authsrv":{"apps":[]}},"authsrv":{"apps":["ACME123456.test.acme.signin"],"x":{"apps":[]}},"apps":[]}"#,
            #"{"apps":["authsrv","authsrv"],"authsrv":{"apps":["apps","ACME123456.test.acme.signin"]},"apps":1}"#,
            #"{"authsrv":{"apps":["ACME123456.test.acme.signin"]},"x":{"apps":1,"apps":2},"y":"\\\\","z":"\"authsrv\":"}"#,
        ])
    func notRepeated(_ json: String) {
        #expect(state(json) == .approved)
    }

    @Test("a file in another encoding, or with many brackets, is none and crashes nothing")
    func hostile() {
        let text = #"{"authsrv":{"apps":["ACME123456.test.acme.signin"]}}"#
        // Without a byte order mark, ASCII text in these encodings is valid UTF-8 with many NUL characters.
        for encoding in [
            String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
        ] {
            let data = text.data(using: encoding)!
            #expect(throws: AssociationFile.Problem.notJSON, "\(encoding)") { try AssociationFile(data) }
        }
        #expect(throws: AssociationFile.Problem.self) {
            try AssociationFile(Data(repeating: UInt8(ascii: "["), count: 100_000))
        }
    }

    @Test("the app's own claims come first, those of profiles are added if it lets them")
    func claims() throws {
        func domains(_ texts: String...) throws -> [AssociatedDomain] { try texts.map { try AssociatedDomain($0) } }
        func identity(_ own: [AssociatedDomain], accepts: Bool) -> ExtensionIdentity {
            ExtensionIdentity(
                teamIdentifier: "T", extensionIdentifier: "a.ext", hostAppIdentifier: "a", associatedDomains: own,
                acceptsManagedDomains: accepts)
        }
        let managed = try #require(
            ProfileReading(
                TestProfile.profile([
                    TestProfile.redirect,
                    TestProfile.domains.changing([
                        "Configuration": .array([
                            .dictionary([
                                "ApplicationIdentifier": .string("T.a"),
                                "AssociatedDomains": .strings("authsrv:m.test", "webcredentials:w.test"),
                            ]),
                            .dictionary([
                                "ApplicationIdentifier": .string("T.b"),
                                "AssociatedDomains": .strings("authsrv:b.test"),
                            ]),
                        ])
                    ]),
                ])
            ).profile
        ).managedDomains
        let own = try domains(
            "authsrv:id.test", "authsrv:*.test.example", "authsrv:*.eu.test.example", "applinks:l.test")
        let open = identity(own, accepts: true)
        #expect(open.claim(to: "id.test", managed: managed)?.description == "authsrv:id.test")
        #expect(open.claim(to: "m.test", managed: managed)?.description == "authsrv:m.test")
        #expect(open.claim(to: "a.eu.test.example", managed: managed)?.domain == "eu.test.example")
        #expect(
            open.claim(to: "a.test.example", managed: managed)?.associationFileURL
                == "https://test.example/.well-known/apple-app-site-association")
        for host in ["w.test", "b.test", "l.test", "test.example", "x.id.test"] {
            #expect(open.claim(to: host, managed: managed) == nil, "\(host)")
        }
        let closed = identity(own, accepts: false)
        #expect(closed.claim(to: "m.test", managed: managed) == nil)
        #expect(open.problem(of: "m.test", managed: managed) == nil)
        #expect(closed.problem(of: "m.test", managed: managed)?.contains("acceptsManagedDomains") == true)
        #expect(
            open.problem(of: "b.test", managed: managed) == "a profile gives authsrv:b.test to T.b, and not to T.a")
        #expect(
            open.problem(of: "w.test", managed: managed)
                == "neither the extension's app nor a profile has an entry authsrv:w.test")
        #expect(identity([], accepts: true).claim(to: "m.test", managed: managed) != nil)
    }

    @Test(
        "an agreement counts for a week; a domain that cannot be asked takes nothing back, one that says no does at once"
    )
    func time() {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        func later(_ seconds: TimeInterval) -> Date { start.addingTimeInterval(seconds) }
        let approved = DomainApproval(.approved, at: start)
        #expect(approved.holds(at: later(7 * 86_400 - 1)) && !approved.holds(at: later(7 * 86_400)))
        #expect(approved.nextCheck == later(86_400))

        let away = DomainApproval(.unreachable("timed out"), at: later(86_400), after: approved)
        #expect(away.holds(at: later(7 * 86_400 - 1)) && !away.holds(at: later(7 * 86_400)))
        #expect(away.nextCheck == later(86_400 + 60))
        let still = DomainApproval(.unreachable("timed out"), at: later(86_460), after: away)
        #expect(still.nextCheck == later(86_460 + 120))
        let long = (0..<50).reduce(still) { previous, _ in
            DomainApproval(.unreachable("timed out"), at: later(90_000), after: previous)
        }
        #expect(long.nextCheck == later(90_000 + 3_600))

        let denied = DomainApproval(.denied("names another"), at: later(100_000), after: long)
        #expect(!denied.holds(at: later(100_000)))
        #expect(denied.nextCheck == later(103_600))
        #expect(!DomainApproval(.unreachable("timed out"), at: later(110_000), after: denied).holds(at: later(110_000)))
        #expect(!DomainApproval(.unreachable("timed out"), at: start).holds(at: start))
    }
}
