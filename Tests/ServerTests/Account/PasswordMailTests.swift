import Authorization
import Directory
import Fixtures
import Foundation
import Mail
import ServerPages
import Storage
import TestSupport
import Testing
@testable import Server

/// Who did not change the password learns that somebody did.
@Suite struct PasswordMailTests {
    private func tell(_ letter: AccountLetter, _ person: Person, _ language: String, on server: TestServer) async throws
    {
        let notice = PasswordNotice(
            mailer: Mailer(sender: try Mailbox("Lanyard <id@school.example>"), surroundings: server.fixed.surroundings),
            writing: AccountLetter.writing(with: try Pages(), from: TestServer.baseURL))
        try await server.database.write { try notice.tell(letter, to: person, language, in: $0) }
    }

    @Test("a temporary password that took the place of another is told, without the password (robustness F11)")
    func issued() async throws {
        try await TestServer.withMail { server in
            let signIn = PasswordSignIn(
                database: server.database, hasher: PasswordHasher(cost: .low), surroundings: server.fixed.surroundings)
            let notice = PasswordNotice(
                mailer: Mailer(
                    sender: try Mailbox("Lanyard <id@school.example>"), surroundings: server.fixed.surroundings),
                writing: AccountLetter.writing(with: try Pages(), from: TestServer.baseURL))
            let password = try await signIn.issueTemporaryPassword(
                for: server.maple.teacher, by: .operator, origin: .commandLine
            ) { try notice.tell(.passwordIssued, to: $0, "en", in: $1) }
            let mail = try #require(try await server.mails().last)
            #expect(mail.recipient == "tara.teacher@maple.example")
            #expect(!mail.text.contains(password) && mail.text.contains("temporary password"))
        }
    }

    @Test(
        "each language has its words, and the subject names the service (robustness F11)",
        arguments: ["en", "ja", "ko"])
    func languages(_ language: String) async throws {
        try await TestServer.withMail { server in
            try await tell(.passwordChanged, server.maple.teacher, language, on: server)
            let mail = try #require(try await server.mails().last)
            #expect(mail.subject.contains("id.school.example") && mail.language == language)
        }
    }

    @Test("a managed account whose address is in no domain of its organization gets no mail, nor one without address")
    func others() async throws {
        try await TestServer.withMail { server in
            try await server.database.write {
                try $0.execute("UPDATE domain SET verified_at = NULL")
            }
            for person in [server.maple.teacher, server.maple.ben] {
                try await tell(.passwordChanged, person, "en", on: server)
            }
            #expect(try await server.mails().isEmpty)
            try await tell(.passwordChanged, try await server.addPersonal(), "en", on: server)
            #expect(try await server.mails().map(\.recipient) == ["maria@home.example"])
        }
    }
}
