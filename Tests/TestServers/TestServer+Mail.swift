import Directory
import Fixtures
import Foundation
import Ground
import HiddenMail
import Mail
import Storage
import TestSupport
@testable import ServerHTTP

/// A mail in the queue.
struct QueuedMail: Sendable {
    let recipient: String
    let subject: String
    let text: String
    let language: String
}

extension TestServer {
    static let relayDomain = "relay.school.example"

    /// A server with hidden addresses and with mail that stays in the queue, so that tests can read it.
    static func withMail(
        on kind: TestDatabase = .sqlite, notificationURL: String? = nil,
        configure: (inout ServerConfiguration) throws -> Void = { _ in },
        hasher: (Surroundings) -> PasswordHasher = { PasswordHasher(cost: .low, surroundings: $0) },
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lanyard-mail-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await with(
            on: kind, notificationURL: notificationURL,
            configure: {
                $0.mail = MailConfiguration(
                    sender: try Mailbox("Lanyard <id@school.example>"), transport: .maildir(folder))
                $0.mailInterval = .seconds(3_600)
                $0.relay = try RelayConfiguration(domain: relayDomain)
                try configure(&$0)
            }, hasher: hasher, body)
    }

    /// The queued mails, oldest first.
    func mails() async throws -> [QueuedMail] {
        try await database.read {
            try $0.all("SELECT recipient, subject, body, language FROM mail_message ORDER BY id") {
                QueuedMail(recipient: try $0[0], subject: try $0[1], text: try $0[2], language: try $0[3])
            }
        }
    }

    /// The code in the last mail.
    func mailedCode() async throws -> String {
        guard let match = try await mails().last?.text.firstMatch(of: /\b\d{6}\b/) else {
            throw NoCode(answer: "no code")
        }
        return String(match.0)
    }

    /// A code that is not the one in the last mail.
    func wrongCode() async throws -> String { try await mailedCode() == "111111" ? "222222" : "111111" }

    /// Fills in the sign-up form; returns the page that asks for the code.
    func apply(
        _ page: Answer, _ typed: [String: String] = [:], in browser: Browser
    ) async throws -> Answer {
        try await browser.follow(
            browser.submit(
                page.form("/sign-up"),
                [
                    "given_name": "Nora", "family_name": "Lind", "email": "nora@home.example",
                    "new_password": "maple leaf 7",
                ].merging(typed) { _, typed in typed }))
    }

    /// Makes an account on the sign-up pages. The browser is signed in afterwards.
    func signUp(_ email: String = "nora@home.example", in browser: Browser) async throws -> Person {
        let page = try await apply(try await browser.get("/sign-up"), ["email": email], in: browser)
        try await browser.submit(page.form("/verify-email/"), ["code": mailedCode()])
        guard let person = try await database.read({ try Person.find(userName: email, in: $0) }) else {
            throw NoCode(answer: "no account")
        }
        return person
    }
}

extension Answer {
    /// The target of the link with this text.
    func link(_ words: String) -> String? {
        body.matches(of: /<a[^>]*href="([^"]*)"[^>]*>([^<]*)<\/a>/).first { $0.2 == words }.map {
            String($0.1).replacingOccurrences(of: "&amp;", with: "&")
        }
    }
}
