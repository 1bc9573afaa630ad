import Foundation
import Testing

@testable import TestServers

/// `ui_locales` (OpenID Connect Core §3.1.2.1), and `locale` in the profile that we are compatible with.
@Suite struct PageLanguageTests {
    @Test("an app chooses the language of the pages for the way of its request")
    func languages() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            func language(
                _ path: String, in browser: Browser, _ headers: [String: String] = [:]
            ) async throws -> String? {
                let answer = try await browser.get(path, headers)
                return try await browser.get(answer.location, headers)["Content-Language"]
            }
            let browser = server.browser()
            #expect(try await language(client.path(["ui_locales": "fr ja-JP en"]), in: browser) == "ja")
            // A wrong password, or the way to a new one, is part of it.
            #expect(try await browser.get("/sign-in")["Content-Language"] == "ja")
            #expect(try await language(client.path(["ui_locales": "ko"]), in: browser) == "ko")
            // The next request speaks for itself.
            #expect(try await language(client.path(), in: browser) == "en")
            let japanese = ["Accept-Language": "ja"]
            #expect(try await language(client.path(["ui_locales": "fr"]), in: browser, japanese) == "ja")
            let compatible = server.signInPath(server.quizzler, ["locale": "ko_KR"])
            #expect(try await language(compatible, in: server.browser()) == "ko")
            // What the person has chosen counts for more.
            let page = try await browser.get("/sign-in")
            let form = try #require(page.forms.first { $0.fields["return_to"] != nil })
            try await browser.submit(form, ["language": "en"])
            #expect(try await language(client.path(["ui_locales": "ko"]), in: browser) == "en")
        }
    }
}
