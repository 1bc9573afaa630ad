import Foundation
import KerberosProfile
import SingleSignOnWire
import Testing

@testable import KerberosExtension

/// docs/specifications/extensible-single-sign-on.md, 21, 22 and 25.
@Suite struct SignInTests {
    private static let machine = TicketCaches.Machine(
        user: 1000, runtimeFolder: "/run/user/1000", ownFolder: "/home/mika/.local/state/x", hasKCM: false, named: nil,
        standard: "FILE:/tmp/krb5cc_1000")

    private func caches(
        _ data: [String: PropertyListValue] = [:], on machine: TicketCaches.Machine = machine
    ) -> TicketCaches {
        TicketCaches(KerberosSettings(realm: "CORP.ACME.TEST", extensionData: data), on: machine)
    }

    @Test func `a ticket goes where the person's programs look, best place first`() {
        #expect(caches().isShared)
        #expect(
            caches().names == [
                "KEYRING:persistent:1000:sso-CORP.ACME.TEST", "DIR::/run/user/1000/krb5cc/tktsso-CORP.ACME.TEST",
                "FILE:/run/user/1000/lanyard/kerberos/sso-CORP.ACME.TEST.tickets",
            ])
        var machine = Self.machine
        machine.hasKCM = true
        #expect(caches(on: machine).names.first == "KCM:1000:sso-CORP.ACME.TEST")
        machine.standard = "DIR:/run/user/1000/tickets"
        #expect(caches(on: machine).names.first == "DIR::/run/user/1000/tickets/tktsso-CORP.ACME.TEST")
        // A collection has room for another cache, and a cache is one person's choice.
        for (named, first) in [
            ("KCM:", "KCM:\(getuid()):sso-CORP.ACME.TEST"), ("KCM:1000", "KCM:1000:sso-CORP.ACME.TEST"),
            ("KCM:1000:mine", "KCM:1000:mine"),
            ("KEYRING:persistent:1000", "KEYRING:persistent:1000:sso-CORP.ACME.TEST"),
            ("KEYRING:persistent:1000:mine", "KEYRING:persistent:1000:mine"), ("KEYRING:mine", "KEYRING:mine"),
            ("FILE:/tmp/mine", "FILE:/tmp/mine"),
        ] {
            machine.named = named
            #expect(caches(on: machine).names.first == first)
        }
        #expect(
            caches(["cacheName": .string("FILE:/tmp/theirs")], on: machine).names.prefix(2) == [
                "FILE:/tmp/theirs", "FILE:/tmp/mine",
            ])
        #expect(caches(["cacheName": .string("MEMORY:x")]).names == caches().names)
        #expect(caches(["cacheName": .string("a name")]).names == caches().names)
    }

    @Test func `each cache has its reason, and what another program has put elsewhere is told apart`() {
        var machine = Self.machine
        machine.hasKCM = true
        machine.named = "FILE:/tmp/mine"
        machine.standard = "DIR:/run/user/1000/tickets"
        let caches = caches(["cacheName": .string("FILE:/tmp/theirs")], on: machine)
        #expect(
            caches.places.map(\.reason) == [
                .profile, .environment, .configuration, .keeper, .keyring, .session, .remaining,
            ])
        #expect(caches.reason(of: "FILE:/tmp/mine") == .environment)
        #expect(caches.reason(of: "FILE:/tmp/krb5cc_1000") == .other)
        let limited = self.caches(["credentialBundleIdACL": .array([])])
        #expect(limited.places.map(\.reason) == [.limited])
    }

    @Test func `a list of callers makes the cache private, unless Kerberos's programs are on it`() {
        let list: [String: PropertyListValue] = ["credentialBundleIdACL": .array([.string("org.example.mail")])]
        #expect(!caches(list).isShared)
        #expect(
            caches(list.merging(["cacheName": .string("FILE:/tmp/theirs")]) { $1 }).names == [
                "FILE:/run/user/1000/lanyard/kerberos/sso-CORP.ACME.TEST.tickets"
            ])
        #expect(!caches(["includeManagedAppsInBundleIdACL": .boolean(true)]).isShared)
        #expect(caches(list.merging(["includeKerberosAppsInBundleIdACL": .boolean(true)]) { $1 }).isShared)
        var machine = Self.machine
        machine.runtimeFolder = nil
        #expect(caches(list, on: machine).names == ["FILE:/home/mika/.local/state/x/sso-CORP.ACME.TEST.tickets"])
    }

    @Test(arguments: [
        ("mika", "mika"), (" mika ", "mika"), ("ACME\\mika", "mika"), ("mika@corp.acme.test", "mika"),
        ("mika@CORP.ACME.TEST", "mika"), ("mika@acme.test", "mika@acme.test"), ("host/a", "host/a"),
    ])
    func `names are taken as people write them`(_ written: String, _ text: String) throws {
        let name = try UserName(written, realm: "CORP.ACME.TEST")
        #expect(name == (try UserName(text, realm: "CORP.ACME.TEST")))
        #expect(name.text == text)
        #expect(name.principal == "\(text)@CORP.ACME.TEST")
    }

    @Test(arguments: ["", "  ", "@", "mika@", "@corp", "a@b@c", "ACME\\", "mi\u{0}ka", "mi\nka"])
    func `what is no name is none`(_ written: String) {
        #expect(throws: UserName.Problem.empty) { try UserName(written, realm: "CORP.ACME.TEST") }
    }

    @Test func `a payload's name is of its own realm`() throws {
        #expect(throws: UserName.Problem.otherRealm) {
            try UserName("mika@acme.test", realm: "CORP.ACME.TEST", isFixed: true)
        }
        let name = try UserName("mika@corp.acme.test", realm: "CORP.ACME.TEST", isFixed: true)
        #expect(name.text == "mika")
    }

    @Test func `a ticket is known by every name with which its owner signs in`() throws {
        let (start, realm) = (Date(timeIntervalSince1970: 1_800_000_000), "CORP.TEST")
        let ticket = Ticket(
            principal: "mika@CORP.TEST", cache: "FILE:/x", issued: start, expires: start + 3600, renewableUntil: nil)
        func isOwner(_ written: String, _ saved: SavedSignIn? = nil, _ facts: DirectoryFacts? = nil) throws -> Bool {
            try UserName(written, realm: realm).isOwner(of: ticket, saved: saved, facts: facts)
        }
        #expect(try isOwner("mika") && isOwner("MIKA@corp.test") && !isOwner("ana"))
        #expect(try !isOwner("mika@school.test"))
        let typed = SavedSignIn(userName: "mika@school.test", principal: "mika@CORP.TEST")
        #expect(try isOwner("Mika@School.test", typed) && !isOwner("mika@other.test", typed))
        // Somebody else has signed in with it last.
        let other = SavedSignIn(userName: "mika@school.test", principal: "ana@CORP.TEST")
        #expect(try !isOwner("mika@school.test", other))
        #expect(try !isOwner("mika@school.test", SavedSignIn(userName: "mika@school.test")))
        let found = ["userprincipalname": "mika@school.test"]
        #expect(try isOwner("mika@school.test", nil, DirectoryFacts(found, of: "mika@CORP.TEST", now: start)))
        #expect(try !isOwner("mika@school.test", nil, DirectoryFacts(found, of: "ana@CORP.TEST", now: start)))
    }

    @Test func `the rules of a payload are looked at before the server does`() {
        let data: [String: PropertyListValue] = ["pwReqLength": .integer(8), "pwReqComplexity": .boolean(true)]
        let rules = PasswordRules(settings: KerberosSettings(realm: "A.TEST", extensionData: data))
        let words = Words(.en)
        func problem(
            _ new: String, again: String? = nil, old: String = "before", user: String = "mika"
        ) -> String? {
            rules.problem(new, again: again ?? new, old: old, user: user, words)
        }
        #expect(problem("Horse-17") == nil)
        #expect(problem("Horse-1") == "At least 8 characters.")
        #expect(problem("horse-seventeen") == words("ruleComplexity"))
        #expect(problem("Mika-horse-17") == words("ruleComplexity"))
        #expect(problem("Mika-horse-17", user: "mika@school.test") == words("ruleComplexity"))
        #expect(problem("School.test-17", user: "mika@school.test") == nil)
        #expect(problem("Jo-horse-17", user: "jo@school.test") == nil)
        #expect(problem("馬Horse-17") == nil)
        #expect(problem("Horse-17", again: "Horse-18") == words("different"))
        #expect(problem("Horse-17", old: "Horse-17") == words("unchanged"))
        #expect(problem("") == words("noPassword"))
    }

    @Test func `every language has every text, with the same places in it, and every refusal has one`() {
        let english = Words.keys(.en)
        #expect(english.count > 40)
        for language in Words.Language.allCases {
            #expect(Words.keys(language) == english)
            for key in english {
                let places = ["realm", "reason", "minutes", "count", "url"].filter {
                    Words(.en)(key).contains("{\($0)}")
                }
                for place in places { #expect(Words(language)(key).contains("{\(place)}"), "\(language) \(key)") }
            }
        }
        for kind in KerberosFailure.Kind.allCases { #expect(english.contains(kind.rawValue)) }
    }

    @Test func `the language is that of the browser, or of the session`() {
        func language(_ accepted: String?, _ variables: [String: String] = [:]) -> Words.Language {
            Words(accepted: accepted, environment: { variables[$0] }).language
        }
        #expect(language("ko-KR,ko;q=0.9,en;q=0.8") == .ko)
        #expect(language("de, ja;q=0.5", ["LANG": "ko_KR.UTF-8"]) == .ja)
        #expect(language(nil, ["LANGUAGE": "de:ja", "LANG": "ko_KR.UTF-8"]) == .ja)
        #expect(language(nil, ["LANGUAGE": "", "LANG": "ko_KR.UTF-8"]) == .ko)
        #expect(language(nil) == .en)
        // Konkani is no Korean.
        #expect(language("kok, ja;q=0.5") == .ja && language(nil, ["LANG": "kok_IN.UTF-8"]) == .en)
    }

    @Test func `what a server says stays a text, and the clock's difference is told`() {
        let failure = KerberosFailure(.other, code: 1, "no {realm} here")
        #expect(Words(.en).problem(failure, realm: "A.TEST") == "A.TEST refuses: no {realm} here")
        var skew = KerberosFailure(.clockSkew, "Clock skew too great")
        #expect(
            Words(.en).problem(skew, realm: "A.TEST") == "The clock of this device is wrong. Set it, then try again.")
        skew.skew = 3600
        #expect(Words(.en).problem(skew, realm: "A.TEST").contains("60 minutes slow"))
        skew.skew = -600
        #expect(Words(.en).problem(skew, realm: "A.TEST").contains("10 minutes fast"))
    }
}
