import Foundation
@testable import KerberosExtension
import Testing

/// docs/specifications/extensible-single-sign-on.md, 10.7, 18.2 and 18.3.
@Suite struct NegotiateChallengeTests {
    @Test(arguments: [
        ["Negotiate"], ["negotiate"], ["  Negotiate  "], ["NEGOTIATE,"], ["Basic realm=\"a\"", "Negotiate"],
        ["Basic realm=\"a, Kerberos\", Negotiate, Bearer realm=\"b\""], ["Negotiate, NTLM"], ["NTLM", "Negotiate"],
        ["Digest realm=\"a\\\"b, Negotiate x\", qop=\"auth,auth-int\", nonce=abc, Negotiate"],
    ])
    func `a bare scheme begins a negotiation, however it is written`(_ values: [String]) {
        #expect(NegotiateChallenge.find(in: values) == .challenge(NegotiateChallenge(token: [])))
    }

    @Test(arguments: [
        ["Negotiate YWJj"], ["Negotiate   YWJj"], ["Negotiate", "Negotiate YWJj"],
        ["Negotiate YWJj, Basic realm=\"x\""],
    ])
    func `a token continues one`(_ values: [String]) {
        #expect(NegotiateChallenge.find(in: values) == .challenge(NegotiateChallenge(token: Array("abc".utf8))))
    }

    @Test func `padding belongs to the token`() {
        #expect(
            NegotiateChallenge.find(in: ["Negotiate YQ==, Basic realm=\"x\""])
                == .challenge(NegotiateChallenge(token: Array("a".utf8))))
    }

    @Test(arguments: [
        [], [""], [","], ["Basic realm=\"Negotiate\""], ["Bearer realm=\"a\", error=\"Negotiate, please\""],
        ["NegotiateX abc"], ["Negotiate=abc"], ["Negotiate = abc"], ["Negotiate ===="],
        ["Basic realm=\"never closed, Negotiate"],
    ])
    func `other schemes, and Negotiate in the words of another, are nothing`(_ values: [String]) {
        #expect(NegotiateChallenge.find(in: values) == .nothing)
    }

    @Test(arguments: [
        ["Negotiate !!!!"], ["Negotiate YWJ"], ["Negotiate YW Jj"], ["Negotiate \"YWJj\""],
    ])
    func `a token that is no Base64 is malformed`(_ values: [String]) {
        #expect(NegotiateChallenge.find(in: values) == .malformed)
    }

    @Test func `a megabyte is not read, and does not hide a challenge beside it`() {
        let large = "Negotiate " + Data(repeating: 7, count: 1 << 20).base64EncodedString()
        #expect(NegotiateChallenge.find(in: [large]) == .malformed)
        #expect(NegotiateChallenge.find(in: [large, "Negotiate YWJj"]) == .challenge(.init(token: Array("abc".utf8))))
        let commas = String(repeating: ",", count: 1 << 18)
        #expect(NegotiateChallenge.find(in: [commas]) == .nothing)
    }

    @Test func `a token of 128 KiB is read, and no byte more`() {
        let most = Data(repeating: 1, count: NegotiateChallenge.bytesMax)
        #expect(
            NegotiateChallenge.find(in: ["Negotiate \(most.base64EncodedString())"])
                == .challenge(.init(token: [UInt8](most))))
        let more = most + [1]
        #expect(NegotiateChallenge.find(in: ["Negotiate \(more.base64EncodedString())"]) == .malformed)
    }
}
