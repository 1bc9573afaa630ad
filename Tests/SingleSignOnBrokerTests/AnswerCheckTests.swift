import Foundation
import SingleSignOnWire
import Testing

@testable import SingleSignOnBroker

@Suite struct AnswerCheckTests {
    private func request(_ operation: String, isCredential: Bool) -> ExtensionRequest {
        ExtensionRequest(
            id: 1, url: "https://id.acme.test/x", operation: operation, headers: [], body: Data(), realm: "",
            extensionData: [:],
            caller: Caller(
                bundleIdentifier: "a", teamIdentifier: "", displayName: "", isManaged: false, processIdentifier: 1),
            options: [:], isUserInterfaceEnabled: false, isCredential: isCredential)
    }

    private static let response = ExtensionAnswer.response(WebResponse(url: "https://id.acme.test/y", status: 200))
    private static let headers = ExtensionAnswer.headers([HeaderField("Authorization", "x")])

    @Test(arguments: [
        // Which answer may end which kind of request: docs/specifications/extensible-single-sign-on.md, 11.8.
        (false, "", [true, false, false]), (false, "login", [true, false, true]),
        (true, "", [false, true, false]), (true, "login", [true, true, true]),
    ])
    func `only some methods end a request`(isCredential: Bool, operation: String, allowed: [Bool]) {
        let request = request(operation, isCredential: isCredential)
        for (answer, isAllowed) in zip([Self.response, Self.headers, .empty], allowed) {
            let outcome = AnswerCheck.outcome(of: answer, to: request).0
            #expect((outcome.reason == .answered) == isAllowed, "\(answer)")
            if !isAllowed { #expect(outcome.reason == .wrongCompletion) }
        }
        for answer in [ExtensionAnswer.doNotHandle, .canceled, .failed(AuthorizationFailure(.failed, "x"))] {
            #expect(AnswerCheck.outcome(of: answer, to: request).0.reason != .wrongCompletion)
        }
    }

    @Test(arguments: [
        "https://id.acme.test:444/", "http://id.acme.test/", "https://id.acme.test.evil.test/",
        "https://evil.test/https://id.acme.test/", "https://id.acme.test@evil.test/", "//id.acme.test/", "",
    ])
    func `a response of another origin is of no use`(url: String) {
        let answer = ExtensionAnswer.response(WebResponse(url: url, status: 200))
        let (outcome, _) = AnswerCheck.outcome(of: answer, to: request("", isCredential: false))
        #expect(outcome.reason == .unusableResponse)
        #expect(outcome.response == nil)
    }

    @Test(arguments: ["\r", "\n", "\r\nSet-Cookie: b=c", "\0", "\u{7F}", "\u{1B}[2J"])
    func `a header that holds a control character ends the answer, in its value and its name`(
        text: String
    ) {
        for header in [HeaderField("X-Test", "a\(text)"), HeaderField("X-Test", text), HeaderField("X\(text)", "a")] {
            let response = WebResponse(
                url: "https://id.acme.test/y", status: 200, headers: [HeaderField("X-Good", "a\tb"), header])
            for (answer, request) in [
                (ExtensionAnswer.response(response), request("", isCredential: false)),
                (.response(response), request("login", isCredential: false)),
                (.headers([header]), request("", isCredential: true)),
            ] {
                let (outcome, detail) = AnswerCheck.outcome(of: answer, to: request)
                #expect(outcome.outcome == .failed && outcome.reason == .unusableResponse, "\(header)")
                #expect(outcome.response == nil && outcome.authorizationHeaders == nil)
                let told = (outcome.error?.message ?? "") + (detail ?? "")
                #expect(!told.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(told)")
            }
        }
        let tab = ExtensionAnswer.headers([HeaderField("Authorization", "Negotiate a\tb")])
        #expect(AnswerCheck.outcome(of: tab, to: request("", isCredential: true)).0.reason == .answered)
    }

    @Test func `a URL in the log has no secrets`() {
        #expect("https://me:secret@id.acme.test/a?b=c#d".withoutSecrets == "https://id.acme.test/a")
        for text in [
            "https:me:secret@id.acme.test/a", "https:\\\\me:secret@id.acme.test\\a", "https:/me:secret@id.acme.test",
            // Tabs and line ends, which browsers leave out, and combining accents, which form one character with `?`.
            "https:/\t/me:secret@id.acme.test/a", "https:\r\n//me:secret@id.acme.test/a",
            "https://id.acme.test/a?\u{301}secret", "https://id.acme.test/a#\u{301}secret",
            "https://me:secret@\u{301}id.acme.test/a",
        ] {
            #expect(!text.withoutSecrets.contains("secret"), "\(text)")
        }
        #expect("https://id.acme.test/@me".withoutSecrets == "https://id.acme.test/@me")
        #expect("https://id.acme.test/a\u{1B}[2J".withoutSecrets == "https://id.acme.test/a [2J")
    }
}
