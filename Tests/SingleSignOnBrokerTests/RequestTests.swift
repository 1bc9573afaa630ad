import Foundation
import SingleSignOnWire
import Testing

@testable import SingleSignOnBroker

#if canImport(Glibc)
    import Glibc
#endif

/// The answers that callers get on the broker's socket.
@Suite(.timeLimit(.minutes(1))) struct RequestTests {
    private static let answer = ExtensionReport.completed(
        id: 1,
        .response(
            WebResponse(
                url: TestBroker.url, status: 302,
                headers: [HeaderField("Location", "https://app.acme.test/"), HeaderField("Set-Cookie", "secret=1")])))

    enum Change: CaseIterable {
        case none, profileRemoved, callerDenied, domainDenies, extensionRemoved

        var reason: BrokerReason {
            switch self {
            case .none: .answered
            case .profileRemoved: .notCovered
            case .callerDenied: .callerDenied
            case .domainDenies: .domainNotApproved
            case .extensionRemoved: .extensionMissing
            }
        }
    }

    @Test(arguments: Change.allCases)
    func `what changes while an extension thinks counts for its answer`(change: Change) async throws {
        let test = try await TestBroker.start(TestBroker.waits)
        async let asked = test.ask()
        await test.waitUntilAsked()
        switch change {
        case .none: break
        case .profileRemoved: await test.broker.install(Installation())
        case .callerDenied:
            await test.broker.install(try test.installation(denying: ["other", TestBroker.ownIdentifier()]))
        case .domainDenies: await test.domain(agrees: false)
        case .extensionRemoved: await test.broker.install(try test.installation(hasExtension: false))
        }
        try test.answer(Self.answer)
        let outcome = try await asked
        #expect(outcome.reason == change.reason)
        #expect((outcome.response != nil) == (change == .none))
        #expect(outcome.outcome == (change == .none ? .response : .notHandled))
        #expect(outcome.authorizationHeaders == nil && outcome.error == nil)
        try await test.stop()
    }

    @Test func `a caller that the profile denies gets nothing, and nobody is asked for it`() async throws {
        let test = try await TestBroker.start("exit 1")
        await test.broker.install(try test.installation(denying: [TestBroker.ownIdentifier()]))
        let outcome = try await test.ask()
        #expect(outcome.outcome == .notHandled && outcome.reason == .callerDenied && outcome.response == nil)
        #expect(await test.startedExtensions == 0)
        // Identifiers in the list are compared as a whole.
        let other = try TestBroker.ownIdentifier() + "x"
        await test.broker.install(try test.installation(denying: [other, String(other.dropLast(2)), "*"]))
        let reason = try await test.ask().reason
        #expect([.extensionCrashed, .extensionFailedToStart].contains(reason))
        try await test.stop()
    }

    @Test(arguments: ["https://id.acme.test", "https://id.acme.test/realms/", "https://id.acme.test/realms/staff"])
    func `an operation may name the provider by a URL above the profile's`(url: String) async throws {
        let test = try await TestBroker.start(TestBroker.waits)
        async let asked = test.ask(url, operation: "login")
        await test.waitUntilAsked()
        try test.answer(.completed(id: 1, .response(WebResponse(url: url, status: 200, body: Data("{}".utf8)))))
        let outcome = try await asked
        #expect(outcome.reason == .answered && outcome.response?.body == Data("{}".utf8))
        let match = await test.broker.match(url, responseCode: 0)
        #expect(match.isCovered && match.isForOperations == true && !match.coversRequests)
        #expect(match.entry == "https://id.acme.test/realms/staff/")
        // Pages at that URL, challenges, other paths and domains that do not agree are not covered.
        #expect(try await test.ask(url).reason == .notCovered)
        #expect(await !test.broker.match(url, responseCode: 401).isCovered)
        #expect(try await test.ask("https://id.acme.test/other", operation: "login").reason == .notCovered)
        await test.domain(agrees: false)
        #expect(try await test.ask(url, operation: "login").reason == .domainNotApproved)
        try await test.stop()
    }

    @Test(arguments: [
        ("[]", "it is no JSON object"), ("{}", "“url” is missing"), (#"{"url": 1}"#, "“url” is of another type"),
        ("", "it is not JSON"),
        (#"{"url": "x", "page": {"initiatingAction": "y"}}"#, "“page.initiatingAction” is of another type"),
    ])
    func `what is wrong with a body is said`(body: String, problem: String) async throws {
        let test = try await TestBroker.start("exit 1")
        let answer = try await test.send(
            "POST /v1/requests HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        #expect(answer.hasSuffix(#"{"error":"The body is no request: \#(problem)."}"# + "\n"), "\(answer)")
        try await test.stop()
    }

    @Test func `only a broker for authors has extensions stopped for a debugger`() async throws {
        let test = try await TestBroker.start("exit 1")
        let question =
            "POST /v1/extensions/test.acme.ext/debug HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            + "Content-Length: 0\r\n\r\n"
        #expect(try await test.send(question).hasPrefix("HTTP/1.1 403 "))
        #expect(
            try await !test.send("GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").contains(
                "waitsForDebugger"))
        try await test.stop()
    }

    @Test func `no variable of the broker's own stops extensions for a debugger`() {
        let own = [ExtensionProtocol.debugVariable: "1", "LISTEN_FDS": "1", "LANG": "ko_KR.UTF-8"]
        #expect(BrokerService.environmentOfExtensions(own) == ["LANG": "ko_KR.UTF-8"])
    }

    @Test(arguments: ["/v1/log?follow=1", "/v1/events"])
    func `a follower that never reads ends nothing but itself`(path: String) async throws {
        let test = try await TestBroker.start("exit 1")
        await test.domain(agrees: false)
        let follower = try test.connectDeaf("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        defer { close(follower) }
        let url = TestBroker.url + String(repeating: "a", count: 200)
        let body = #"{"url": "\#(url)", "presentation": "none"}"#
        let request = "POST /v1/requests HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let answers = try await test.send(
            String(repeating: request, count: 1_500) + "GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        #expect(answers.components(separatedBy: #""reason":"domainNotApproved""#).count == 1_501)
        for _ in 0..<10_000 { await test.broker.install(Installation()) }
        #expect(try await test.ask().reason == .notCovered)
        try await test.stop()
    }
}
