import Foundation
@testable import KerberosExtension
import SeededNumbers
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

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `whatever is changed in a header, what is found is nothing, malformed, or a short token that stands in it`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        let seeds = [
            "Negotiate", "Negotiate YWJj", "Negotiate YQ==, Basic realm=\"x\"",
            "Digest realm=\"a\\\"b, Negotiate x\", qop=\"auth,auth-int\", nonce=abc, Negotiate YWJjZGVm",
            "Bearer realm=\"a\", Negotiate \(Data(repeating: 9, count: 300).base64EncodedString()), NTLM",
        ]
        let pieces = [
            "Negotiate", " ", ",", "=", "\"", "\\", "\t", "YWJj", "\u{0}", "\u{e9}", "\u{1f511}", "====", "\r\n",
        ]
        var found = (nothing: 0, malformed: 0, tokens: 0)
        for _ in 0..<4000 {
            let values = (0...Int.random(in: 0...2, using: &random)).map { _ in
                var text = Array(seeds.randomElement(using: &random)!)
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    let start = Int.random(in: 0...text.count, using: &random)
                    let end = min(text.count, start + Int.random(in: 0...4, using: &random))
                    text.replaceSubrange(start..<end, with: pieces.randomElement(using: &random)!)
                }
                return String(text)
            }
            switch NegotiateChallenge.find(in: values) {
            case .nothing: found.nothing += 1
            case .malformed: found.malformed += 1
            case .challenge(let challenge):
                found.tokens += 1
                let base64 = Data(challenge.token).base64EncodedString()
                let all = values.joined(separator: "\n")
                #expect(all.lowercased().contains("negotiate"), "\(values)")
                // The last letters before the padding may say less than they could.
                let whole = base64.prefix(challenge.token.count / 3 * 4)
                #expect(whole.isEmpty || all.contains(whole), "\(values)")
                #expect(challenge.token.count <= values.reduce(0) { $0 + $1.utf8.count }, "\(values)")
            }
        }
        // None of them is all that there is.
        #expect(found.nothing > 0 && found.malformed > 0 && found.tokens > 0)
    }
}
