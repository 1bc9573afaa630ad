import AsyncHTTPClient
import Foundation
@testable import LanyardClient
import NIOCore
import NIOHTTP1
import Testing

@Suite(.timeLimit(.minutes(1))) struct LoopbackListenerTests {
    private static let provider = "https://lanyard.example"

    /// What a browser sends.
    private struct Visit {
        var path = "/"
        var form: String? = "code=c&state=s"
        var headers: [(String, String)] = [("Origin", provider)]

        @discardableResult
        func make(to listener: LoopbackListener, timeout: TimeAmount = .seconds(10)) async throws -> (
            status: UInt, page: String
        ) {
            var request = HTTPClientRequest(url: String(listener.redirectURI.dropLast()) + path)
            for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
            if let form {
                request.method = .POST
                if !request.headers.contains(name: "content-type") {
                    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
                }
                request.body = .bytes(ByteBuffer(string: form))
            }
            let response = try await HTTPClient.withoutRedirects.execute(request, timeout: timeout)
            return (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 16)))
        }
    }

    private static func withListener(
        _ delivery: LoopbackListener.Delivery = .form(origin: provider),
        _ test: (LoopbackListener) async throws -> Void
    ) async throws {
        let listener = try await LoopbackListener(
            path: "/", delivery: delivery, isAnswer: { FormFields($0)?["state"] == "s" })
        do {
            try await test(listener)
        } catch {
            await listener.close()
            throw error
        }
        await listener.close()
    }

    private static func answer(_ listener: LoopbackListener) async throws -> String? {
        try await listener.answer(within: .seconds(20)) { try await Task.sleep(for: $0) }
    }

    @Test("a form from the provider's page is the answer, and its browser sees a friendly page")
    func form() async throws {
        try await Self.withListener { listener in
            let visit = try await Visit().make(to: listener)
            #expect(visit.status == 200)
            #expect(visit.page.contains("You can close this window"))
            let answer = try await Self.answer(listener)
            #expect(answer == "code=c&state=s")
        }
    }

    @Test("a redirect with a query is the answer where one is expected")
    func query() async throws {
        try await Self.withListener(.query) { listener in
            let form = try await Visit().make(to: listener)
            #expect(form.status == 405)
            let visit = Visit(path: "/?code=c&state=s", form: nil, headers: [("Accept-Language", "ja,en;q=0.5")])
            let page = try await visit.make(to: listener).page
            #expect(page.contains("このウインドウを閉じて"))
            let answer = try await Self.answer(listener)
            #expect(answer == "code=c&state=s")
        }
    }

    @Test("who did not sign in is not told so wrongly")
    func cancelled() async throws {
        try await Self.withListener { listener in
            let visit = Visit(form: "error=user_cancelled_authorize&state=s", headers: [("Accept-Language", "ko-KR")])
            let page = try await visit.make(to: listener).page
            #expect(page.contains("로그인하지 않았습니다"))
            let answer = try await Self.answer(listener)
            #expect(answer == "error=user_cancelled_authorize&state=s")
        }
    }

    @Test("anything else is refused, and the waiting goes on")
    func refused() async throws {
        try await Self.withListener { listener in
            let port = String(listener.redirectURI.split(separator: ":")[2].dropLast())
            let visits: [(Visit, UInt)] = [
                (Visit(form: "code=evil&state=t"), 400),
                (Visit(form: "code=evil"), 400),
                (Visit(form: "code=evil&state=s&state=s"), 400),
                (Visit(headers: [("Origin", "https://evil.example")]), 403),
                (Visit(headers: [("Origin", "https://lanyard.example.evil.example")]), 403),
                (Visit(headers: [("Host", "evil.example:\(port)")]), 403),
                (Visit(headers: [("Host", "localhost:\(port)")]), 403),
                (Visit(headers: [("Sec-Fetch-Mode", "cors")]), 403),
                (Visit(headers: [("Sec-Fetch-Dest", "iframe")]), 403),
                (Visit(headers: [("Content-Type", "text/plain")]), 415),
                (Visit(form: "state=s&x=" + String(repeating: "x", count: 70_000)), 413),
                (Visit(path: "/favicon.ico", form: nil), 404),
                (Visit(path: "/x"), 404),
                (Visit(path: "/?code=evil&state=s", form: nil), 405),
            ]
            for (visit, status) in visits {
                let answer = try await visit.make(to: listener)
                #expect(answer.status == status, "\(visit)")
                #expect(!answer.page.contains("evil"))
            }
            // A page that keeps its address to itself, in a browser that says what it is doing.
            try await Visit(
                headers: [("Origin", "null"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]
            ).make(to: listener)
            let answer = try await Self.answer(listener)
            #expect(answer == "code=c&state=s")
        }
    }

    @Test("of two answers the first one counts")
    func twice() async throws {
        try await Self.withListener { listener in
            try await Visit(form: "code=c1&state=s").make(to: listener)
            try await Visit(form: "code=c2&state=s").make(to: listener)
            let answer = try await Self.answer(listener)
            #expect(answer == "code=c1&state=s")
        }
    }

    @Test("the waiting ends with the time limit")
    func timeLimit() async throws {
        try await Self.withListener { listener in
            let answer = try await listener.answer(within: .seconds(300)) { limit in #expect(limit == .seconds(300)) }
            #expect(answer == nil)
        }
    }

    @Test("the waiting ends when the caller does")
    func cancellation() async throws {
        try await Self.withListener { listener in
            let task = Task { try await Self.answer(listener) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("nobody is there afterwards")
    func closed() async throws {
        let listener = try await LoopbackListener(path: "/", delivery: .query, isAnswer: { _ in true })
        await listener.close()
        await #expect(throws: (any Error).self) {
            try await Visit().make(to: listener, timeout: .milliseconds(100))
        }
    }
}
