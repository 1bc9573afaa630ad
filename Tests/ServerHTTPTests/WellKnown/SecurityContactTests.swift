import Testing
@testable import ServerHTTP
@testable import TestServers

/// Whom to tell of a weakness. RFC 9116.
@Suite struct SecurityContactTests {
    private static let path = "/.well-known/security.txt"

    @Test("whoever looks finds the contact that the operator has named, and nothing where there is none")
    func file() async throws {
        try await TestServer.with(configure: { $0.securityContact = "mailto:security@school.example" }) { server in
            let answer = try await server.browser().get(Self.path)
            #expect(answer.status == 200 && answer["Content-Type"] == "text/plain; charset=utf-8")
            #expect(
                answer.body == """
                    Contact: mailto:security@school.example
                    Expires: 2026-10-01T08:00:00Z
                    Canonical: https://id.school.example/.well-known/security.txt

                    """)
        }
        try await TestServer.with { server in
            let answer = try await server.browser().get(Self.path)
            #expect(answer.status == 404)
        }
    }

    @Test(
        "an address alone, or what would begin a line of its own, is no contact",
        arguments: [
            "security@school.example", "http://school.example/security", "mailto:", "https:///x",
            "mailto:security@school.example\nContact: mailto:x@evil.example", "mailto:a b@school.example",
        ])
    func malformed(_ contact: String) throws {
        #expect(try !isTaken(contact))
    }

    @Test(
        "mail, a page and a telephone are",
        arguments: ["mailto:security@school.example", "https://school.example/security", "tel:+1-201-555-0123"])
    func good(_ contact: String) throws {
        #expect(try isTaken(contact))
    }

    private func isTaken(_ contact: String) throws -> Bool {
        var configuration = try ServerConfiguration(baseURL: TestServer.baseURL)
        configuration.securityContact = contact
        do {
            try configuration.check()
            return true
        } catch is ServerConfiguration.Problem {
            return false
        }
    }
}
