import Fixtures
import HiddenMail
import Mail
import SeededNumbers
import Testing

@Suite struct AuthenticationResultsTests {
    private func read(_ values: String...) throws -> AuthenticationResults {
        try AuthenticationResults(
            in: values.map { HeaderField(name: "Authentication-results", value: $0) },
            spfAuthority: "spf.relay.example", dkimAuthority: "dkim.relay.example")
    }

    private static let spf = "spf.relay.example; spf=pass (sender SPF authorized) smtp.mailfrom=quizzler.example"

    @Test("what the verifiers write is read")
    func whole() throws {
        let results = try read(
            """
            DKIM.relay.example;\r
            \tdkim=pass (2048-bit key) header.d=Quizzler.Example header.i=@quizzler.example header.b="Ab=/+c=";\r
            \tdkim=fail reason="signature verification failed; dkim=pass" header.d=other.example
            """,
            """
            spf.relay.example; spf=pass (sender SPF authorized) smtp.mailfrom=quizzler.example\r
             (client-ip=192.0.2.10; helo=x; envelope-from=news@quizzler.example; receiver=<UNKNOWN>)
            """,
            "somebody.example; spf=fail smtp.mailfrom=quizzler.example")
        #expect(
            results
                == AuthenticationResults(
                    spf: [.init(outcome: .pass, domain: "quizzler.example")],
                    dkim: [
                        .init(outcome: .pass, domain: "quizzler.example"),
                        .init(outcome: .other, domain: "other.example"),
                    ]))
    }

    @Test("results that are none, and errors that pass, are told apart")
    func outcomes() throws {
        let results = try read(
            "dkim.relay.example; dkim=none", "spf.relay.example; spf=temperror smtp.mailfrom=news@quizzler.example")
        #expect(results.spf == [.init(outcome: .temporaryError, domain: "quizzler.example")])
        #expect(results.dkim == [.init(outcome: .other, domain: nil)])
        #expect(results.isInconclusive)
        #expect(try read("dkim.relay.example; dkim=permerror", "spf.relay.example; none").isInconclusive == false)
        #expect(try read("dkim.relay.example; dkim=none", "spf.relay.example 1; none").spf == [])
    }

    @Test("without a header of the verifier of SPF nothing is known; without one of DKIM nothing is proven by it")
    func missing() throws {
        #expect(
            throws: AuthenticationResults.Problem.missing(authority: "spf.relay.example", found: ["dkim.relay.example"])
        ) {
            try read("dkim.relay.example; dkim=pass header.d=quizzler.example")
        }
        let results = try read("not.dkim.relay.example; dkim=pass header.d=quizzler.example", Self.spf)
        #expect(results.dkim == nil)
        #expect(results.isInconclusive)
    }

    @Test("results of DKIM below those of SPF came with the message, and are none")
    func below() throws {
        let dkim = "dkim.relay.example; dkim=pass header.d=quizzler.example"
        #expect(try read(dkim, "mx.example; dkim=fail", Self.spf).dkim?.first?.outcome == .pass)
        for values in [[Self.spf, dkim], [Self.spf, "mx.example; dkim=fail", dkim]] {
            let results = try AuthenticationResults(
                in: values.map { HeaderField(name: "Authentication-Results", value: $0) },
                spfAuthority: "spf.relay.example", dkimAuthority: "dkim.relay.example")
            #expect(results.dkim == nil)
            #expect(results.isInconclusive)
        }
    }

    @Test(
        "a signature whose names could write into the verifier's header is not looked at",
        arguments: [
            ("v=1; d=rival.example; s=a; i=news@rival.example; b=x=", true),
            ("v=1;\r\n d = rival.example ;\r\n\ts=a-b_c.d; I=@rival.example", true),
            ("v=1; d=rival.example; s=a; i=x=3B=20dkim=3Dpass=20header.d=3Dquizzler.example=20@rival.example", false),
            ("v=1; d=rival.example; s=a; i=x(@rival.example", false),
            ("v=1; d=rival.example; s=a header.d=quizzler.example; i=@rival.example", false),
            ("v=1; d=rival.example header.i=x; s=a", false),
            ("v=1; d=rival.example; s=a; i=\"x\"@rival.example", false),
            ("garbage", true), ("", true),
        ])
    func signatures(_ signature: String, isPlain: Bool) throws {
        let values = ["dkim.relay.example; dkim=pass header.d=rival.example", Self.spf]
        let results = try AuthenticationResults(
            in: values.map { HeaderField(name: "Authentication-Results", value: $0) }
                + [HeaderField(name: "DKIM-signature", value: signature)],
            spfAuthority: "spf.relay.example", dkimAuthority: "dkim.relay.example")
        #expect((results.dkim != nil) == isPlain)
    }

    @Test("two headers of one name are one too many")
    func ambiguous() {
        #expect(throws: AuthenticationResults.Problem.ambiguous(authority: "spf.relay.example")) {
            try read(Self.spf, "\"spf.relay.example\" ; spf=none", "dkim.relay.example; dkim=none")
        }
        #expect(throws: AuthenticationResults.Problem.ambiguous(authority: "dkim.relay.example")) {
            try read(Self.spf, "dkim.relay.example; dkim=none", "(x) DKIM.RELAY.EXAMPLE; dkim=pass header.d=a.example")
        }
    }

    @Test(
        "what stands in a comment or in quotes proves nothing",
        arguments: [
            "dkim.relay.example; dkim=fail (dkim=pass) header.d=quizzler.example",
            "dkim.relay.example; dkim=fail reason=\"x; dkim=pass header.d=quizzler.example\"",
            "dkim.relay.example; dkim=fail header.b=\"; dkim=pass header.d=quizzler.example;\"",
            "dkim.relay.example; x=\"dkim=pass header.d=quizzler.example\"",
            "dkim.relay.example; dkim=pass header.d=other.example header.d=quizzler.example",
            "dkim.relay.example; dkim=passed header.d=quizzler.example",
            "dkim.relay.example; adkim=pass header.d=quizzler.example",
        ])
    func hidden(_ value: String) throws {
        let results = try read(value, Self.spf)
        #expect(results.dkim?.contains { $0.outcome == .pass && $0.domain == "quizzler.example" } == false)
    }

    @Test("any bytes are read to the end")
    func fuzz() {
        var generator = SeededGenerator(seed: 4)
        let pieces = [
            "spf.relay.example", "dkim.relay.example", ";", "=", "\"", "\\", "(", ")", " ", "\t", "\r\n ", "dkim=pass",
            "header.d=", "x", "é", "/", "1",
        ]
        for _ in 0..<20_000 {
            let value = (0..<Int.random(in: 0...16, using: &generator))
                .map { _ in pieces.randomElement(using: &generator)! }.joined()
            _ = try? read(value, Self.spf)
        }
    }
}
